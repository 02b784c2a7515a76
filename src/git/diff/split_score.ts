/*
 * How good it looks to begin or end a group of changed lines at a place. The weights were found by trying out many on
 * many real histories; they are those of git's indent heuristic, as anything else would place groups elsewhere.
 */
const START_OF_TEXT = 1;
const END_OF_TEXT = 21;
const BLANK_LINE = -30;
const BLANK_LINE_BEHIND = 6;
const INDENTED = { plain: -4, blank: 10 };
const OUTDENTED = { plain: 24, blank: 17 };
const DEDENTED = { plain: 23, blank: 17 };
const INDENT_WEIGHT = 60;
const MOST_BLANKS = 20;

/** The lower the better. */
export interface SplitScore {
  indent: number;
  penalty: number;
}

export function worse(score: SplitScore, than: SplitScore): boolean {
  return INDENT_WEIGHT * Math.sign(score.indent - than.indent) + (score.penalty - than.penalty) > 0;
}

/** Rates a cut just before the line `at` of a text of `count` lines. */
export function splitScore(at: number, count: number, indentOf: (line: number) => number): SplitScore {
  const own = at >= count ? -1 : indentOf(at);
  const before = neighbour(at, -1, count, indentOf);
  const behind = neighbour(at, 1, count, indentOf);
  let penalty = 0;
  if (before.indent === -1 && before.blanks === 0) penalty += START_OF_TEXT;
  if (at >= count) penalty += END_OF_TEXT;
  const blanksBehind = own === -1 ? 1 + behind.blanks : 0;
  const blanks = before.blanks + blanksBehind;
  penalty += BLANK_LINE * blanks + BLANK_LINE_BEHIND * blanksBehind;
  const indent = own === -1 ? behind.indent : own;
  const kind = blanks > 0 ? 'blank' : 'plain';
  if (indent !== -1 && before.indent !== -1) {
    if (indent > before.indent) penalty += INDENTED[kind];
    else if (indent < before.indent) {
      const continues = behind.indent !== -1 && behind.indent > indent;
      penalty += (continues ? OUTDENTED : DEDENTED)[kind];
    }
  }
  return { indent, penalty };
}

/** The indentation of the nearest line in a direction that is not blank (-1 without one), and the blank lines up to it. */
function neighbour(at: number, step: number, count: number, indentOf: (line: number) => number) {
  let blanks = 0;
  for (let line = at + step; line >= 0 && line < count; line += step) {
    const indent = indentOf(line);
    if (indent !== -1) return { indent, blanks };
    if (++blanks === MOST_BLANKS) return { indent: 0, blanks };
  }
  return { indent: -1, blanks };
}
