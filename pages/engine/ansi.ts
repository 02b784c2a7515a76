import { escaped } from '#pages/engine/helpers.ts';

/** Changes of style that become markup; what is behind them is shown in the last style. */
const MAX_STYLE_CHANGES = 20_000;

const COLORS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

interface Style {
  color: string | null;
  bold: boolean;
}

/** Escape sequences: those of styles with their numbers, all others, which are left out, and control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const ESCAPES = /\x1b\[([\d;]{0,64})m|\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]|\x1b[@-Z\\-_]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

/** Makes HTML of the lines of a program's output, one after the other: a style goes on until the output ends it. */
export class AnsiLines {
  #style: Style = { color: null, bold: false };
  #changes = 0;

  /**
   * A line as HTML: text, escaped, in `<span>`s with classes for its colors. Of what was written over by a carriage return, such as
   * progress bars, the last state is shown.
   */
  html(line: string): string {
    const text = lastState(line);
    const parts: string[] = [];
    let from = 0;
    for (const found of text.matchAll(ESCAPES)) {
      parts.push(styled(text.slice(from, found.index), this.#style));
      from = found.index + found[0].length;
      if (found[1] === undefined || this.#changes >= MAX_STYLE_CHANGES) continue;
      this.#changes++;
      this.#style = changed(this.#style, found[1]);
    }
    parts.push(styled(text.slice(from), this.#style));
    return parts.join('');
  }
}

/** What stands in a line behind its last carriage return, apart from those that end it. */
function lastState(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === '\r') end--;
  const text = line.slice(0, end);
  return text.slice(text.lastIndexOf('\r') + 1);
}

function changed(before: Style, codes: string): Style {
  const style = { ...before };
  const numbers = codes.split(';').map(Number);
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? 0;
    if (code === 0) Object.assign(style, { color: null, bold: false });
    else if (code === 1) style.bold = true;
    else if (code === 22) style.bold = false;
    else if (code === 39) style.color = null;
    // Colors by number or by parts have parameters, which are no codes.
    else if (code === 38 || code === 48) at += numbers[at + 1] === 5 ? 2 : 4;
    else if (code >= 30 && code <= 37) style.color = COLORS[code - 30] ?? null;
    else if (code >= 90 && code <= 97) style.color = COLORS[code - 90] ?? null;
  }
  return style;
}

function styled(text: string, { color, bold }: Style): string {
  if (text === '') return '';
  if (color === null && !bold) return escaped(text);
  const classes = [color && `ansi-${color}`, bold && 'ansi-bold'].filter(Boolean).join(' ');
  return `<span class="${classes}">${escaped(text)}</span>`;
}
