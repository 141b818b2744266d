// One run, drawn step by step: what is compared (dots) against the thresholds as drawn (dashes), until it stops.
const COLOURS = ["var(--bad)", "var(--good)", "var(--open)", "var(--soft)"];
const WIDE = 720, HIGH = 300, LEFT = 52, RIGHT = 12, TOP = 12, LOW = 34;
export default {
  template: `
    <div class="seq-player" role="group" aria-label="one run, step by step" @keydown="pressed">
      <div class="seq-controls">
        <button type="button" class="seq-press" @click="turn" :aria-pressed="playing">{{ playing ? "Pause" : "Play" }}</button>
        <button type="button" class="seq-press" @click="go(at - 1)" aria-label="one step back">◀</button>
        <button type="button" class="seq-press" @click="go(at + 1)" aria-label="one step on">▶</button>
        <label class="seq-field">speed<select v-model.number="speed">
          <option v-for="one in [1, 2, 5, 10, 30]" :key="one" :value="one">{{ one }} a second</option></select></label>
        <label class="seq-field" v-if="groups.length > 1">what is compared<select v-model="group">
          <option v-for="one in groups" :key="one">{{ one }}</option></select></label>
        <label class="seq-field seq-grow">step {{ at }} of {{ length }}<input type="range" min="0" :max="length"
          v-model.number="at" class="seq-slider"></label>
      </div>
      <svg viewBox="0 0 720 300" role="img" :aria-label="told" tabindex="0">
        <g font-size="11" fill="var(--soft)"><g v-for="tick in ticks" :key="tick.y">
            <line :x1="52" :x2="708" :y1="tick.y" :y2="tick.y" stroke="var(--line)" />
            <text :x="46" :y="tick.y + 4" text-anchor="end">{{ tick.text }}</text></g>
          <text v-for="tick in steps" :key="'s' + tick.text" :x="tick.x" :y="282" text-anchor="middle">{{ tick.text }}</text>
          <text :x="380" :y="297" text-anchor="middle">step</text></g>
        <path :d="line(shown[0], 'values')" fill="none" stroke="var(--accent)" stroke-width="2" />
        <g v-for="(track, i) in shown" :key="track.name" :stroke="colour(i)" :fill="colour(i)">
          <path :d="line(track, 'levels')" fill="none" stroke-width="2" stroke-dasharray="6 4" />
          <circle v-for="dot in dots(track)" :key="dot.step" :cx="dot.x" :cy="dot.y" :r="dot.last ? 5 : 2.5"
            :fill-opacity="dot.fired ? 1 : .55" stroke="none" /></g>
      </svg>
      <ul class="seq-legend"><li><span class="seq-line-mark" style="background: var(--accent)"></span>{{ group }} as it is
        (nobody sees it)</li><li v-for="(track, i) in shown" :key="track.name"><span class="seq-line-mark"
        :style="{ background: colour(i) }"></span>{{ track.name }}: dots are compared with the dashes, both with their
        noise</li></ul>
      <p role="status" class="seq-told">{{ told }}</p>
    </div>`,
  props: { run: Object },
  data() { return { at: 0, playing: false, speed: 5, group: "", timer: null }; },
  watch: {
    run: { immediate: true, handler() { this.stop(); this.at = 0; this.group = this.groups[0] ?? ""; } },
    speed() { if (this.playing) { this.stop(); this.turn(); } },
  },
  unmounted() { this.stop(); },
  computed: {
    length() { return this.run.entries.length; },
    groups() { return [...new Set(this.run.tracks.map((track) => track.value))]; },
    shown() { return this.run.tracks.filter((track) => track.value === this.group); },
    span() {
      const all = this.shown.flatMap((track) => [...track.values, ...track.noisy, ...track.levels]).filter((y) => y !== null);
      const low = Math.min(...all), high = Math.max(...all), room = (high - low) * 0.06 || 1;
      return all.length ? [low - room, high + room] : [0, 1];
    },
    ticks() {
      const [low, high] = this.span, size = 10 ** Math.floor(Math.log10((high - low) / 3));
      const step = size * [1, 2, 5].find((k) => (high - low) / (k * size) <= 6);
      const first = Math.ceil(low / step), last = Math.floor(high / step);
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => {
        const value = (first + i) * step;
        return { y: this.y(value), text: String(+value.toPrecision(4)) };
      });
    },
    steps() {
      const every = Math.max(1, Math.ceil(this.length / 8));
      return Array.from({ length: Math.floor(this.length / every) }, (_, i) => (i + 1) * every)
        .map((step) => ({ x: this.x(step), text: step }));
    },
    told() {
      if (!this.at) return `Before the first step. The data are drawn from the model ${this.run.model}.`;
      const parts = this.shown.filter((track) => track.noisy[this.at - 1] !== null).map((track) => {
        const noisy = track.noisy[this.at - 1], level = track.levels[this.at - 1], fired = track.fired[this.at - 1];
        const how = track.sign > 0 ? "reach" : "fall to";
        return `${track.name}: ${this.round(noisy)} ${fired ? "does " : "does not "}${how} ${this.round(level)}`;
      });
      const end = this.at === this.length ? `. The run: ${this.run.result}` : "";
      return `Step ${this.at}: ${[this.run.entries[this.at - 1], ...parts].filter(Boolean).join("; ")}${end}.`;
    },
  },
  methods: {
    colour(i) { return COLOURS[i % COLOURS.length]; },
    round(value) { return value === null ? "?" : String(+value.toPrecision(4)); },
    x(step) { return LEFT + ((step - 0.5) / Math.max(1, this.length)) * (WIDE - LEFT - RIGHT); },
    y(value) { const [low, high] = this.span; return TOP + ((high - value) / (high - low)) * (HIGH - TOP - LOW); },
    line(track, kind) {
      let pen = "M";
      return (track ? track[kind].slice(0, this.at) : []).map((value, i) => {
        if (value === null) { pen = "M"; return ""; }
        const part = `${pen}${this.x(i + 1).toFixed(1)} ${this.y(value).toFixed(1)}`;
        pen = "L";
        return part;
      }).join("");
    },
    dots(track) {
      return track.noisy.slice(0, this.at).map((value, i) => value === null ? null
        : { step: i, x: this.x(i + 1), y: this.y(value), fired: track.fired[i], last: i + 1 === this.at }).filter(Boolean);
    },
    go(step) { this.stop(); this.at = Math.min(this.length, Math.max(0, step)); },
    stop() { clearInterval(this.timer); this.playing = false; },
    turn() {
      if (this.playing) { this.stop(); return; }
      if (this.at >= this.length) this.at = 0;
      this.playing = true;
      this.timer = setInterval(() => {
        this.at = Math.min(this.length, this.at + 1);
        if (this.at >= this.length) this.stop();
      }, 1000 / this.speed);
    },
    pressed(event) {
      if (["INPUT", "SELECT", "BUTTON"].includes(event.target.tagName)) return;
      const does = { " ": () => this.turn(), ArrowLeft: () => this.go(this.at - 1), ArrowRight: () => this.go(this.at + 1),
        Home: () => this.go(0), End: () => this.go(this.length) }[event.key];
      if (does) { does(); event.preventDefault(); }
    },
  },
};
