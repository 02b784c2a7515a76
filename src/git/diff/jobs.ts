import { type MergeInput, type MergeResult, mergeContents } from './merge.ts';
import { makePatch, type Pair, type Patch } from './patch.ts';
import { type Content, type Rename, similarRenames } from './renames.ts';

/** What is done in the worker pool, by name: what goes in and what comes out. */
export interface Jobs {
  patches: { input: { pairs: Pair[]; wantsText: boolean }; output: Patch[] };
  renames: { input: { sources: Content[]; targets: Content[] }; output: Rename[] };
  merge: { input: MergeInput; output: MergeResult };
}

export const jobs: { [J in keyof Jobs]: (input: Jobs[J]['input']) => Jobs[J]['output'] } = {
  patches: ({ pairs, wantsText }) => pairs.map((pair) => makePatch(pair, wantsText)),
  renames: ({ sources, targets }) => similarRenames(sources, targets),
  merge: mergeContents,
};

export type Request = { [J in keyof Jobs]: { job: J; input: Jobs[J]['input'] } }[keyof Jobs];

export type Answer = { output: Jobs[keyof Jobs]['output'] } | { error: string };
