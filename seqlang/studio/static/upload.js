// A file of rows is handed over as it is, in the body of one request; the server says what it thinks of it.
export default {
  template: `
    <div class="seq-upload">
      <label class="seq-field">{{ label }}
        <input type="file" ref="file" :accept="accept" @change="send" :disabled="busy">
      </label>
      <p role="status" aria-live="polite" :class="bad ? 'seq-bad' : 'seq-soft'">{{ said }}</p>
    </div>`,
  props: { to: String, limit: Number, label: String, accept: String },
  data() { return { said: "", bad: false, busy: false }; },
  methods: {
    async send(event) {
      const file = event.target.files[0];
      if (!file) return;
      this.bad = false;
      if (file.size > this.limit) return this.refuse(`refused: a file may have ${Math.floor(this.limit / 2 ** 20)} MiB`);
      this.busy = true;
      this.said = `handing over ${file.name} ..`;
      try {
        const answer = await fetch(this.to, { method: "POST", body: file, headers: { "content-type": "application/octet-stream" } });
        if (!answer.ok) return this.refuse(await answer.text());
        this.said = `${file.name} is here, as long as this tab is open`;
        this.$emit("handed", file.name);
      } catch (why) {
        this.refuse("it was not taken: the connection ended");
      } finally {
        this.busy = false;
      }
    },
    refuse(words) { this.said = words; this.bad = true; this.$refs.file.value = ""; },
  },
};
