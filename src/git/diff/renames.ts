import type { Mode, Oid } from '../model.ts';
import { EQUAL, type Fingerprint, fingerprint, similarity } from './similarity.ts';

/** Half of the content must be the same. */
const LEAST = EQUAL / 2;
/** If only one removed and one added file have a name, more must differ before others are tried. */
const LEAST_FOR_NAMESAKES = LEAST + (EQUAL - LEAST) / 2;
/** How many sources are remembered for each target. */
const CANDIDATES = 4;

/** A file that was removed or added. */
export interface Side {
  path: string;
  mode: Mode;
  oid: Oid;
}

/** A removed file that an added one was made of: positions in the lists, and the share of what is the same in percent. */
export interface Rename {
  source: number;
  target: number;
  similarity: number;
}

/** Pairs files of the same content, each source once, preferring the same base name. Lists are in the order of paths. */
export function exactRenames(sources: Side[], targets: Side[]): Rename[] {
  const groups = new Map<string, Namesakes>();
  for (const [at, side] of sources.entries()) {
    const group = groups.get(contentKey(side)) ?? new Namesakes();
    groups.set(contentKey(side), group.add(at, baseName(side.path)));
  }
  const renames: Rename[] = [];
  for (const [target, side] of targets.entries()) {
    const source = groups.get(contentKey(side))?.take(baseName(side.path));
    if (source !== undefined) renames.push({ source, target, similarity: 100 });
  }
  return renames;
}

/** Sources of one content, in their order: thousands of files may be the same. */
class Namesakes {
  readonly #all: number[] = [];
  readonly #byName = new Map<string, number[]>();
  readonly #used = new Set<number>();
  /** Positions behind what was looked at already. */
  #next = 0;
  readonly #nextByName = new Map<string, number>();

  add(source: number, name: string): this {
    this.#all.push(source);
    const known = this.#byName.get(name);
    if (known) known.push(source);
    else this.#byName.set(name, [source]);
    return this;
  }

  /** The first one that is not taken yet, one of the same name if there is any. */
  take(name: string): number | undefined {
    const namesakes = this.#byName.get(name) ?? [];
    let at = this.#nextByName.get(name) ?? 0;
    while (at < namesakes.length && this.#used.has(namesakes[at] ?? -1)) at++;
    this.#nextByName.set(name, at);
    while (this.#next < this.#all.length && this.#used.has(this.#all[this.#next] ?? -1)) this.#next++;
    const found = namesakes[at] ?? this.#all[this.#next];
    if (found !== undefined) this.#used.add(found);
    return found;
  }
}

/** Files are renamed to files whatever their permissions; links and submodules only to their like. */
function contentKey({ mode, oid }: Side): string {
  return `${isRegular(mode) ? 'file' : mode} ${oid}`;
}

export interface Content {
  path: string;
  content: Uint8Array;
}

/** Pairs regular files of similar content: namesakes that have no rivals first, then whatever is most similar. */
export function similarRenames(sources: Content[], targets: Content[]): Rename[] {
  const prints = {
    sources: sources.map(({ content }) => fingerprint(content)),
    targets: targets.map(({ content }) => fingerprint(content)),
  };
  const renames = namesakes(sources, targets, prints);
  const usedSources = new Set(renames.map(({ source }) => source));
  const usedTargets = new Set(renames.map(({ target }) => target));
  const candidates: Candidate[] = [];
  for (const [target, { path }] of targets.entries()) {
    if (usedTargets.has(target)) continue;
    const best: Candidate[] = [];
    for (const [source, { path: from }] of sources.entries()) {
      if (usedSources.has(source)) continue;
      const score = scoreOf(prints, source, target, LEAST);
      keepBest(best, { source, target, score, sameName: baseName(from) === baseName(path) });
    }
    candidates.push(...best);
  }
  // Sorting is stable, as git's is here.
  for (const { source, target, score } of candidates.sort(order)) {
    if (score < LEAST) break;
    if (usedSources.has(source) || usedTargets.has(target)) continue;
    usedSources.add(source);
    usedTargets.add(target);
    renames.push({ source, target, similarity: Math.floor((score * 100) / EQUAL) });
  }
  return renames;
}

interface Prints {
  sources: Fingerprint[];
  targets: Fingerprint[];
}

interface Candidate {
  source: number;
  target: number;
  score: number;
  sameName: boolean;
}

function namesakes(sources: Content[], targets: Content[], prints: Prints): Rename[] {
  const targetsByName = uniqueNames(targets);
  const renames: Rename[] = [];
  for (const [name, source] of uniqueNames(sources)) {
    const target = targetsByName.get(name) ?? -1;
    if (source < 0 || target < 0) continue;
    const score = scoreOf(prints, source, target, LEAST_FOR_NAMESAKES);
    if (score >= LEAST_FOR_NAMESAKES) renames.push({ source, target, similarity: Math.floor((score * 100) / EQUAL) });
  }
  return renames;
}

/** Positions by base name, -1 for a name that occurs twice. */
function uniqueNames(contents: Content[]): Map<string, number> {
  const names = new Map<string, number>();
  for (const [at, { path }] of contents.entries()) names.set(baseName(path), names.has(baseName(path)) ? -1 : at);
  return names;
}

function scoreOf(prints: Prints, source: number, target: number, least: number): number {
  const from = prints.sources[source];
  const to = prints.targets[target];
  return from === undefined || to === undefined ? 0 : similarity(from, to, least);
}

/** Replaces the worst of the candidates if the new one is better. */
function keepBest(best: Candidate[], candidate: Candidate): void {
  if (best.length < CANDIDATES) {
    best.push(candidate);
    return;
  }
  let worst = 0;
  for (const [at, one] of best.entries()) {
    const held = best[worst];
    if (held !== undefined && order(one, held) > 0) worst = at;
  }
  const held = best[worst];
  if (held !== undefined && order(held, candidate) > 0) best[worst] = candidate;
}

function order(left: Candidate, right: Candidate): number {
  return right.score - left.score || Number(right.sameName) - Number(left.sameName);
}

export function isRegular(mode: Mode): boolean {
  return mode.startsWith('10');
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
