import { plainText } from '#src/domain/tracking/references/plain_text.ts';
import type { RecordName } from '#src/domain/tracking/references/scan.ts';

/** The words of that release, and `Implements` of later ones. */
const WORDS =
  /(?<![A-Za-z0-9_])(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):? +/gi;
const ISSUE =
  /(?:issues? +)?((?:[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}\/){0,20}[A-Za-z0-9_][A-Za-z0-9_.-]{0,254})?#(\d{1,9})(?![A-Za-z0-9_])/iy;
const BETWEEN = /(?:,? +and +|, *| *& *)/iy;
/** Maximum number of issues that one text closes; further ones stay open. */
const MAX_CLOSED_ISSUES = 100;

/** The issues that a text closes, distinct and in order: `Closes #4`, `fixes #4, #5 and group/project#6`. They may not exist. */
export function closedIssues(text: string): RecordName[] {
  const plain = plainText(text);
  const found = new Map<string, RecordName>();
  for (const { 0: word, index } of plain.matchAll(WORDS)) {
    let at = index + word.length;
    while (found.size < MAX_CLOSED_ISSUES) {
      ISSUE.lastIndex = at;
      const issue = ISSUE.exec(plain);
      if (!issue) break;
      const [all, path = null, number] = issue;
      found.set(`${path?.toLowerCase() ?? ''}#${number}`, { type: 'Issue', path, number: Number(number) });
      at += all.length;
      BETWEEN.lastIndex = at;
      const between = BETWEEN.exec(plain);
      if (!between) break;
      at += between[0].length;
    }
  }
  return [...found.values()];
}
