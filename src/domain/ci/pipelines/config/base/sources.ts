/** Bytes of the largest `.gitlab-ci.yml` that is read, and of one that it includes. */
export const MAX_CONFIG_BYTES = 1024 * 1024;
/** Bytes of all files of one configuration. */
export const MAX_TOTAL_BYTES = 2 * 1024 * 1024;

/** Where a file lies: in a project, at the commit that a ref named when the pipeline was made; null for those of the pipeline. */
export type Place = { project: string; ref: string } | null;

/** What a configuration refers to, beside its own text. */
export type Wanted =
  | { kind: 'file'; place: Place; path: string }
  /** The paths of all files. */
  | { kind: 'tree'; place: Place }
  /** The paths that the commit of the pipeline changed, or that differ from a ref. */
  | { kind: 'changes'; compareTo: string | null }
  | { kind: 'remote'; url: string }
  | { kind: 'template'; name: string }
  /** A file that a project offers to others: its path, a slash and the name; and a version. */
  | { kind: 'component'; path: string; version: string }
  /** A file in the artifacts of a job of the pipeline whose child is made. */
  | { kind: 'artifact'; job: string; path: string };

/** What `spec:component` may ask for. */
export const ABOUT_COMPONENT = ['name', 'sha', 'version', 'reference'] as const;
export type AboutComponent = Record<(typeof ABOUT_COMPONENT)[number], string>;

/** What was found. */
export interface Facts {
  file: { text: string };
  /** The first of many. */
  tree: { paths: string[]; isWhole: boolean };
  /** Null if there is nothing to compare with. */
  changes: { paths: string[]; isWhole: boolean } | null;
  remote: { text: string };
  /** With what to tell the author of a template that is not there. */
  template: { text: string; warning?: string };
  /** With where it lies, for what it includes in turn, and what it may ask of itself. */
  component: { text: string; place: Place; about: AboutComponent };
  artifact: { text: string };
}

/** An answer, or why there is none. */
export type Answer<Kind extends Wanted['kind']> = Facts[Kind] | { error: string };

/** All that was found so far, by `keyOf`. */
export type Answers = ReadonlyMap<string, Answer<Wanted['kind']>>;

export function keyOf(wanted: Wanted): string {
  return JSON.stringify(wanted);
}

/** Looks for what a configuration refers to among the answers, and collects what is missing. */
export class Sources {
  readonly #answers: Answers;
  readonly #missing = new Map<string, Wanted>();

  constructor(answers: Answers) {
    this.#answers = answers;
  }

  /** Undefined if nobody has looked yet. */
  find<Kind extends Wanted['kind']>(wanted: Wanted & { kind: Kind }): Answer<Kind> | undefined {
    const key = keyOf(wanted);
    const found = this.#answers.get(key);
    if (found === undefined) this.#missing.set(key, wanted);
    // The key names the kind.
    return found as Answer<Kind> | undefined;
  }

  get missing(): Wanted[] {
    return [...this.#missing.values()];
  }
}

/** What the configuration means depends on something that has to be looked for first. */
export class Incomplete extends Error {}
