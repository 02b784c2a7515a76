import type { Context } from '#src/access/permissions/actor.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { createBranch } from '#src/domain/repository/branches/create.ts';
import { createTag } from '#src/domain/repository/tags/create.ts';
import { advance, writableBranch } from '#src/domain/repository/write.ts';
import { moment } from '#src/entrances/seed/clock.ts';
import { PEOPLE } from '#src/entrances/seed/content/people.ts';
import { LaterJobs } from '#src/entrances/seed/later.ts';
import type { Scene, Stage } from '#src/entrances/seed/stage.ts';
import type { Signature } from '#src/git/base/model.ts';
import type { Action } from '#src/git/write/actions.ts';
import type { CommitSeries } from '#src/git/write/series.ts';
import { mergeAhead } from '#src/git/writer.ts';

export interface SampleCommit {
  /** When it was made, in UTC; the time of the push when absent. */
  at?: string;
  /** The author, if not the pusher. */
  by?: string;
  message: string;
  actions: Action[];
}

export interface SamplePush {
  at: string;
  project: string;
  by: string;
  branch: string;
  /** Where a new branch begins. */
  from?: string;
  commits: SampleCommit[];
}

/** Pushes commits to a branch. Their dates, and therefore their IDs, are the same each time. */
export function push({ at, project, by, branch, from, commits }: SamplePush): Scene {
  return {
    at,
    async play(stage) {
      const context = await stage.as(by);
      // The branch comes with its commits and so gets one pipeline: that of its starting point is left out.
      if (from !== undefined) await createBranch({ ...context, jobs: new LaterJobs() }, project, branch, from);
      const make = async (series: CommitSeries) => {
        for (const { at: made = at, by: author = by, message, actions } of commits) {
          const signatures = { author: signature(author, made), committer: signature(by, made) };
          await series.add({ ...signatures, actions, message: `${message}\n` });
        }
        if (series.tip === null) throw new Error('A push without commits');
        return series.tip;
      };
      const bytes = commits.flatMap(({ actions }) => actions).reduce((sum, action) => sum + sizeOf(action), 0);
      await advance(context, await writableBranch(context, project, branch), { bytes, make });
    },
  };
}

/** Merges a branch into another one that has not moved since, with a merge commit. */
export function merge(merged: { at: string; project: string; by: string; branch: string; into: string }): Scene {
  const { at, project, by, branch, into } = merged;
  return {
    at,
    async play(stage) {
      const context = await stage.as(by);
      const tip = await tipOf(context, project, branch);
      const who = signature(by, at);
      const make = async (series: CommitSeries) => {
        if (series.tip === null) throw new Error(`There is no ${into}`);
        const said = { author: who, committer: who, message: `Merge branch '${branch}' into '${into}'\n` };
        const oid = await mergeAhead(series.reader, { onto: series.tip, merged: tip, ...said }, series.keepLock);
        series.follow(oid);
        return oid;
      };
      await advance(context, await writableBranch(context, project, into), { bytes: 0, alone: true, make });
    },
  };
}

export interface SampleTag {
  at: string;
  project: string;
  by: string;
  name: string;
  target: string;
  /** Message of an annotated tag. */
  message?: string;
  /** Release notes. */
  notes?: string;
}

/** Creates a tag. */
export function tag({ at, project, by, notes, ...values }: SampleTag): Scene {
  return {
    at,
    async play(stage: Stage) {
      const input = { ...values, releaseDescription: notes };
      await createTag(await stage.as(by), project, input, { tagger: signature(by, at) });
    },
  };
}

/** The commit at the tip of a branch or tag. */
export async function tipOf(context: Context, path: string, ref: string): Promise<string> {
  const repository = await context.repositories.open(await findProject(context, path));
  const oid = await repository?.resolve(ref);
  if (!oid) throw new Error(`There is no ${ref} in ${path}`);
  return oid;
}

export function create(path: string, text: string): Action {
  return { action: 'create', path, content: Buffer.from(text) };
}

export function update(path: string, text: string): Action {
  return { action: 'update', path, content: Buffer.from(text) };
}

function signature(username: string, at: string): Signature {
  const person = PEOPLE.find((one) => one.username === username);
  if (!person) throw new Error(`There is no user ${username}`);
  const { name, email, offset } = person;
  return { name, email, seconds: moment(at) / 1000, offset };
}

function sizeOf(action: Action): number {
  return 'content' in action ? (action.content?.length ?? 0) : 0;
}
