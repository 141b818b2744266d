// A text area over the same text in colours: what is typed is the browser's own, what is seen is drawn beneath it.
// Notes stand behind their lines; marks underline what a diagnostic is about.
export default {
  template: `
    <div class="seq-editor" :class="{ 'seq-plain': plain }"><div class="seq-written">
      <div class="seq-lines" aria-hidden="true"><div v-for="(row, i) in rows" :key="i" class="seq-line"
        ><span class="seq-number">{{ i + 1 }}</span><span v-for="(part, j) in row.parts" :key="j" :class="part.kind"
        >{{ part.text }}</span><span v-for="(note, k) in row.notes" :key="'n' + k" class="seq-note"
        :class="'seq-' + note.tone" :title="note.tip">{{ note.text }}</span></div></div>
      <textarea ref="area" :value="text" :aria-label="label" spellcheck="false" autocapitalize="off" autocomplete="off"
        wrap="off" @input="typed"></textarea>
    </div></div>`,
  props: { value: String, version: Number, words: Array, notes: Array, marks: Array, label: String },
  data() { return { text: this.value }; },
  // The server sets a text by another version. What it else sends as `value` may be behind what is typed here.
  watch: { version() { this.text = this.value; } },
  computed: {
    pattern() {
      const words = this.words.join("|");
      return new RegExp(`(#[^\\n]*)|("[^"\\n]*"?)|\\b(${words})\\b|\\b([0-9]+(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\\b`, "g");
    },
    plain() { return this.text.length > 60000; },  // colours and notes would take longer than typing may
    rows() {
      if (this.plain) return [];
      return this.text.split("\n").map((line, i) => ({
        parts: this.marked(line, i + 1), notes: this.notes.filter((note) => note.line === i + 1),
      }));
    },
  },
  methods: {
    coloured(line) {
      const parts = [], kinds = ["seq-comment", "seq-string", "seq-word", "seq-number-word"];
      let at = 0;
      for (const found of line.matchAll(this.pattern)) {
        if (found.index > at) parts.push([line.slice(at, found.index), ""]);
        parts.push([found[0], kinds[found.slice(1).findIndex((group) => group !== undefined)]]);
        at = found.index + found[0].length;
      }
      if (at < line.length || !parts.length) parts.push([line.slice(at) || "\u200b", ""]);
      return parts;
    },
    marked(line, number) {
      const marks = this.marks.filter((mark) => mark.line <= number && number <= mark.end_line);
      const inside = (column) => marks.find((mark) =>
        (mark.line < number || mark.column <= column) && (number < mark.end_line || column < mark.end_column));
      const parts = [];
      let column = 1;
      for (const [text, kind] of this.coloured(line)) {
        let from = 0;
        for (let i = 1; i <= text.length; i++) {
          if (i < text.length && inside(column + i) === inside(column + from)) continue;
          const mark = inside(column + from);
          parts.push({ text: text.slice(from, i), kind: mark ? `${kind} seq-mark seq-${mark.tone}` : kind });
          from = i;
        }
        column += text.length;
      }
      return parts;
    },
    typed(event) {
      const most = 200001;  // one character more than is taken: the server says then that it is too long
      if (event.target.value.length > most) event.target.value = event.target.value.slice(0, most);
      this.text = event.target.value;
      this.$emit("typed", this.text);
    },
    go(line) {
      const starts = this.text.split("\n").slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
      this.$refs.area.focus();
      this.$refs.area.setSelectionRange(starts, starts);
    },
  },
};
