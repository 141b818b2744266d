// The list of specs: what is typed and chosen narrows it down in the browser, without asking the server.
const MARKS = { guarded: "var(--good)", bare: "var(--bad)", public: "var(--soft)" };
export default {
  template: `
    <div class="seq-library">
      <div class="seq-filters">
        <label class="seq-field">search<input type="search" v-model="words" autocomplete="off"></label>
        <label class="seq-field">task<select v-model="task"><option value="">all</option>
          <option v-for="one in tasks" :key="one">{{ one }}</option></select></label>
        <label class="seq-field">source<select v-model="source"><option value="">all</option>
          <option v-for="one in sources" :key="one">{{ one }}</option></select></label>
      </div>
      <p class="seq-soft" role="status">{{ shown.length }} of {{ entries.length }} specs</p>
      <ul class="seq-list" aria-label="specs"><li v-for="entry in shown" :key="entry.name">
        <button type="button" class="seq-entry" @click="$emit('picked', entry.name)">
          <svg width="56" height="32" viewBox="0 0 56 32" role="img" :aria-label="words_of(entry)"><g
            v-for="(gate, i) in entry.gates" :key="i" :transform="'translate(' + i * 14 + ' 0)'">
            <title>{{ words_of(entry) }}</title>
            <rect v-if="gate[0] === 'release'" x="1" y="9" width="11" height="14" rx="2" :stroke="mark(gate)"
              :fill="gate[1] === 'guarded' ? mark(gate) : 'none'" stroke-width="2" />
            <circle v-else-if="gate[0] === 'choose'" cx="6.5" cy="16" r="5.5" :stroke="mark(gate)"
              :fill="gate[1] === 'guarded' ? mark(gate) : 'none'" stroke-width="2" />
            <path v-else d="M1 23 L6.5 9 L12 23 Z" :stroke="mark(gate)" stroke-width="2"
              :fill="gate[1] === 'guarded' ? mark(gate) : 'none'" /></g></svg>
          <span><span class="seq-entry-title">{{ entry.title }}</span>
            <span class="seq-soft">{{ entry.name }}{{ entry.task ? " · " + entry.task : "" }}</span></span>
        </button></li></ul>
      <p class="seq-soft">What an observer sees: ▲ a comparison, ■ a value, ● a random choice; filled where noise guards
        it.</p>
    </div>`,
  props: { entries: Array },
  data() { return { words: "", task: "", source: "" }; },
  computed: {
    tasks() { return [...new Set(this.entries.map((one) => one.task).filter(Boolean))].sort(); },
    sources() { return [...new Set(this.entries.map((one) => one.source))].sort(); },
    shown() {
      const asked = this.words.toLowerCase().split(/\s+/).filter(Boolean);
      return this.entries.filter((one) => (!this.task || one.task === this.task)
        && (!this.source || one.source === this.source)
        && asked.every((word) => (one.name + " " + one.title).toLowerCase().includes(word)));
    },
  },
  methods: {
    mark(gate) { return MARKS[gate[1]]; },
    words_of(entry) {
      const kinds = { compare: "a comparison", release: "a value", choose: "a random choice" };
      const how = { guarded: "guarded by noise", bare: "without noise", public: "of what is public" };
      return entry.gates.map((gate) => `${kinds[gate[0]]} ${how[gate[1]]}`).join(", ") || "what is seen";
    },
  },
};
