/** What the texts of an import are rewritten by. */
export interface RewriteRules {
  /** The web address of the project at its source, without final slash, and its path there. */
  web: string;
  path: string;
  /** Whether a number is that of a merge request; null where they have numbers of their own. */
  isMergeRequest: ((number: number) => boolean) | null;
  /** The new address of an attached file; null where it stays a link. */
  attached(address: string): string | null;
  /** The addresses of attached files, with the flag `g`. */
  attachments: RegExp;
}

/**
 * A text of a source as it is here: references to the project's records name those, mentions become code, so that nobody here is
 * notified for somebody there, and attached files have their new addresses. Code stays as it is.
 */
export function rewrite(text: string, rules: RewriteRules): string {
  return outsideCode(text, (part) => rewritten(part, rules));
}

/** A text whose parts outside of code are changed. */
export function outsideCode(text: string, change: (part: string) => string): string {
  if (text === '') return text;
  return partsOf(text)
    .map(({ isCode, value }) => (isCode ? value : change(value)))
    .join('');
}

/** Addresses of files that are shown or linked to in texts, outside of code. */
export function attachmentsIn(text: string, attachments: RegExp): string[] {
  return partsOf(text).flatMap(({ isCode, value }) =>
    isCode ? [] : [...value.matchAll(attachments)].map(([one]) => one),
  );
}

interface TextPart {
  isCode: boolean;
  value: string;
}

/** The text in parts, each all code or none of it: fenced blocks, and spans between backticks of the same number. */
function partsOf(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let plain: string[] = [];
  let block: string[] = [];
  let fence = '';
  const endPlain = () => {
    if (plain.length > 0) parts.push(...spansOf(plain.join('')));
    plain = [];
  };
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const [, found = '', info = ''] = /^ {0,3}(`{3,}|~{3,})([^\n]*)/.exec(line) ?? [];
    if (fence === '' && found !== '' && !(found.startsWith('`') && info.includes('`'))) {
      endPlain();
      fence = found;
      block = [line];
    } else if (fence === '') plain.push(line);
    else {
      block.push(line);
      if (found.startsWith(fence) && info.trim() === '') {
        parts.push({ isCode: true, value: block.join('') });
        fence = '';
        block = [];
      }
    }
  }
  endPlain();
  if (block.length > 0) parts.push({ isCode: true, value: block.join('') });
  return parts;
}

function spansOf(text: string): TextPart[] {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ length, index }));
  // For each run the next one of the same length, so that none is searched for.
  const following: (number | undefined)[] = [];
  const seen = new Map<number, number>();
  for (let at = runs.length - 1; at >= 0; at--) {
    const { length } = runs[at] as (typeof runs)[number];
    following[at] = seen.get(length);
    seen.set(length, at);
  }
  const parts: TextPart[] = [];
  let begun = 0;
  for (let at = 0; at < runs.length; at++) {
    const open = runs[at] as (typeof runs)[number];
    const close = following[at];
    const end = close === undefined ? undefined : runs[close];
    if (close === undefined || end === undefined) continue;
    parts.push({ isCode: false, value: text.slice(begun, open.index) });
    begun = end.index + end.length;
    parts.push({ isCode: true, value: text.slice(open.index, begun) });
    at = close;
  }
  parts.push({ isCode: false, value: text.slice(begun) });
  return parts.filter(({ value }) => value !== '');
}

/** Patterns for the texts of a project, which are made once. */
interface Patterns {
  /** Addresses below that of the project, such as those of files of releases. */
  below: RegExp;
  /** Addresses of issues and merge requests, with kind and number. */
  address: RegExp;
  /** `owner/name#12`, with the mark, which is `!` for merge requests of some sources, and the number. */
  path: RegExp;
}

const known = new WeakMap<RewriteRules, Patterns>();

function patternsOf(rules: RewriteRules): Patterns {
  const web = escaped(rules.web);
  const found = known.get(rules) ?? {
    below: new RegExp(`${web}/[\\w./%~+-]+`, 'g'),
    address: new RegExp(
      `${web}(?:\\/-)?/(issues|pull|pulls|merge_requests)/(\\d{1,9})(?:#issuecomment-\\d+)?(?![\\w/#?])`,
      'g',
    ),
    path: new RegExp(`(?<![\\w/.-])${escaped(rules.path)}([#!])(\\d{1,9})\\b`, 'gi'),
  };
  known.set(rules, found);
  return found;
}

const NUMBER = /(?<![\w/#&!.-])(?:#|GH-)(\d{1,9})\b/g;
const MENTION = /(?<![\w/@`.=-])@[a-z\d](?:[\w.-]{0,100}\w)?(?:\/[\w.-]{1,100})?/gi;

function rewritten(text: string, rules: RewriteRules): string {
  const { isMergeRequest } = rules;
  const { below, address, path } = patternsOf(rules);
  const named = (number: string) => `${isMergeRequest?.(Number(number)) ? '!' : '#'}${number}`;
  const file = (found: string) => rules.attached(found) ?? found;
  const out = text
    .replace(rules.attachments, file)
    .replace(below, file)
    .replace(address, (_whole, kind: string, number: string) => {
      // An address of an issue leads to the pull request of that number where numbers are shared.
      if (isMergeRequest !== null) return named(number);
      return `${kind === 'issues' ? '#' : '!'}${number}`;
    })
    .replace(path, (_whole, mark: string, number: string) => (isMergeRequest === null ? mark + number : named(number)));
  const numbered = isMergeRequest === null ? out : out.replace(NUMBER, (_whole, number: string) => named(number));
  return numbered.replace(MENTION, (mention) => `\`${mention}\``);
}

/** A text as a part of a pattern. */
export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
