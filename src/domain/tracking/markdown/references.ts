/** What a text can refer to. */
export type ReferenceKind = 'issue' | 'merge_request' | 'user' | 'label' | 'milestone' | 'commit' | 'external_issue';

/** A reference in a text, which may lead to nothing: `#4`, `group/project!2`, `@ann`, `~bug`, `%"version 2"`, `4f2a91c`; or to an issue elsewhere: `ABC-12`, `CU-4x9`, `task 12`. */
export interface Reference {
  kind: ReferenceKind;
  /** Where it begins. */
  index: number;
  /** As it is written. */
  written: string;
  /** The path of its project, as written; null for the project of the text. Of issues, merge requests and commits. */
  path: string | null;
  /** Its number, name, title or hash. */
  name: string;
}

const NAME = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}';
const PATH = String.raw`(?:${NAME}\/){0,20}${NAME}`;
const WORD = String.raw`[\p{L}\p{N}_](?:[\p{L}\p{N}_.:&+/-]{0,253}[\p{L}\p{N}_+])?`;

/** Each part is bounded and begins at the boundary of a word, so that a text is scanned in linear time. */
const REFERENCE = new RegExp(
  String.raw`(?<![\p{L}\p{N}_./&#!@~%-])(?:${[
    String.raw`(?<path>${PATH})?(?<sign>[#!])(?<number>\d{1,9})(?![\p{L}\p{N}_])`,
    '@(?<user>[A-Za-z0-9_](?:[A-Za-z0-9_./-]{0,253}[A-Za-z0-9_])?)',
    String.raw`(?<title>[~%])(?:"(?<quoted>[^"\n]{1,255})"|(?<word>${WORD}))`,
    String.raw`(?<external>[A-Z][A-Z0-9_]{0,63}-\d{1,9}|CU-[a-z0-9]{1,30}|(?:bug|task|work item|workitem|rtcwi|defect) \d{1,9})(?![\p{L}\p{N}_-])`,
    String.raw`(?:(?<home>${PATH})@)?(?<sha>[0-9a-f]{7,40})(?![\p{L}\p{N}_])`,
  ].join('|')})`,
  'gu',
);

/** The references in a text, in order. */
export function* referencesIn(text: string): Generator<Reference> {
  for (const { 0: written, index, groups = {} } of text.matchAll(REFERENCE)) {
    const { path = null, sign, number, user, title, quoted, word, home = null, sha, external } = groups;
    const at = { index, written };
    if (number !== undefined) yield { ...at, kind: sign === '#' ? 'issue' : 'merge_request', path, name: number };
    else if (user !== undefined) yield { ...at, kind: 'user', path: null, name: user };
    else if (external !== undefined) yield { ...at, kind: 'external_issue', path: null, name: external };
    else if (sha !== undefined) yield { ...at, kind: 'commit', path: home, name: sha };
    else yield { ...at, kind: title === '~' ? 'label' : 'milestone', path: null, name: quoted ?? word ?? '' };
  }
}
