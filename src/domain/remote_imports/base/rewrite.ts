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
  if (text === '') return text;
  return partsOf(text)
    .map(({ isCode, value }) => (isCode ? value : rewritten(value, rules)))
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
  // Where the next run of the same length is, so that runs that nothing closes cost no search of the rest of the text.
  const later = new Map<number, number[]>();
  for (const [at, { length }] of runs.entries()) later.set(length, [...(later.get(length) ?? []), at].slice(-MAX_RUNS));
  const parts: TextPart[] = [];
  let begun = 0;
  for (let at = 0; at < runs.length; at++) {
    const open = runs[at] as (typeof runs)[number];
    const close = later.get(open.length)?.find((other) => other > at);
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

/** Runs of backticks of a length that are looked at. */
const MAX_RUNS = 1_000;

function rewritten(text: string, rules: RewriteRules): string {
  const { web, path, isMergeRequest } = rules;
  const sign = (number: string, kind: string | null) => {
    if (kind !== null) return /^(pull|pulls|merge_requests)$/.test(kind) ? '!' : '#';
    return isMergeRequest?.(Number(number)) ? '!' : '#';
  };
  const byAddress = new RegExp(
    `${escaped(web)}(?:/-)?/(issues|pull|pulls|merge_requests)/(\\d{1,9})(?![\\w/#?])(?:#issuecomment-\\d+)?`,
    'g',
  );
  const byPath = new RegExp(`(?<![\\w/.-])${escaped(path)}#(\\d{1,9})\\b`, 'gi');
  // Among them files of releases, which have addresses below the project's.
  const below = new RegExp(`${escaped(web)}/[\\w./%~+-]+`, 'g');
  let out = text
    .replace(rules.attachments, (address) => rules.attached(address) ?? address)
    .replace(below, (address) => rules.attached(address) ?? address)
    .replace(
      byAddress,
      (_whole, kind: string, number: string) => `${sign(number, kindOf(kind, number, rules))}${number}`,
    )
    .replace(byPath, (_whole, number: string) => `${sign(number, null)}${number}`);
  if (isMergeRequest !== null) {
    out = out.replace(
      /(?<![\w/#&!.-])(?:#|GH-)(\d{1,9})\b/g,
      (_whole, number: string) => `${sign(number, null)}${number}`,
    );
  }
  return out.replace(
    /(?<![\w/@`.=-])@[a-z\d](?:[\w.-]{0,100}\w)?(?:\/[\w.-]{1,100})?/gi,
    (mention) => `\`${mention}\``,
  );
}

/** An address of an issue leads to the pull request of that number where numbers are shared. */
function kindOf(kind: string, number: string, { isMergeRequest }: RewriteRules): string {
  if (isMergeRequest === null) return kind;
  return isMergeRequest(Number(number)) ? 'pull' : 'issues';
}

/** A text as a part of a pattern. */
export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
