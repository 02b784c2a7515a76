import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#schema/builder.ts';
import { FileDiff, FileDiffConnection, fileDiffArgs } from '#schema/commits/diff.ts';
import { Commit, CommitConnection } from '#schema/commits/types.ts';
import { connectionOf, loadCountedPage, pageArgs } from '#schema/connection.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { versionFilter } from '#schema/filters.ts';
import { IssueConnection } from '#schema/issues/types.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { versionOrder } from '#schema/orders.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import { loaderAt } from '#schema/records/below.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { diffPage } from '#src/domain/repository/commits/diff.ts';
import { entriesOf } from '#src/domain/repository/shown_diff.ts';
import { listClosedIssues } from '#src/domain/tracking/merge_requests/closes_issues.ts';
import {
  areHeads,
  diffSince,
  findVersion,
  firstCommits,
  listVersions,
  type VersionCommits,
  type VersionHead,
  versionCommits,
  versionDiff,
} from '#src/domain/tracking/merge_requests/versions.ts';
import { NotFound } from '#src/platform/errors.ts';

/** The fields of a version that lead to its commits. */
const COMMITS = {
  headCommitSha: true,
  baseCommitSha: true,
  startCommitSha: true,
  mergeRequest: { select: { targetProjectId: true } },
} as const;

interface WithCommits extends Omit<VersionCommits, 'project'> {
  mergeRequest: { targetProjectId: number };
}

async function commitsOf(
  context: GraphQLContext,
  { mergeRequest, headCommitSha, baseCommitSha, startCommitSha }: WithCommits,
): Promise<VersionCommits> {
  const project = await requireProjectBase(context, mergeRequest.targetProjectId);
  return { project, headCommitSha, baseCommitSha, startCommitSha };
}

/** Throws NotFound for a hash that is not the head of a version of the merge request. */
async function requireHead(context: GraphQLContext, info: GraphQLResolveInfo, head: VersionHead): Promise<void> {
  const load = (heads: readonly VersionHead[]) => areHeads(context, heads);
  const loader = loaderAt(context, info, { key: 'heads' }, load, { cache: false });
  if (!(await loader.load(head))) throw new NotFound('MergeRequestVersion');
}

export const MergeRequestVersion = builder.prismaObject('MergeRequestVersion', {
  description: 'What a merge request was about from one move of its source branch to the next. It stays as it is.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the version, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('MergeRequestVersion', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the version, unique across all merge requests.' }),
    mergeRequestId: t.exposeInt('mergeRequestId', { description: 'Numeric ID of the merge request.' }),
    headCommitSha: t.exposeString('headCommitSha', { description: 'Hash of the head of the source branch.' }),
    baseCommitSha: t.exposeString('baseCommitSha', {
      nullable: true,
      description: 'Hash of the last commit that both branches had; null if their histories are unrelated.',
    }),
    startCommitSha: t.exposeString('startCommitSha', {
      description: 'Hash of the head of the target branch at that time.',
    }),
    state: t.exposeString('state', { description: 'State of the version: always `collected`.' }),
    realSize: t.exposeString('realSize', {
      description: 'Number of files that differ; with `+` behind it if there are more than are counted.',
    }),
    patchIdSha: t.exposeString('patchIdSha', {
      nullable: true,
      description:
        'Hash of the changes, the same wherever they are applied (`git patch-id --stable`). Null if there are none or too many, and for some old versions.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the version was recorded.' }),
    commits: t.field({
      type: [Commit],
      description: 'The commits that the version was to bring, newest first; at most 5,000.',
      select: COMMITS,
      resolve: async (version, _args, context) => firstCommits(context, await commitsOf(context, version)),
    }),
    diffs: t.field({
      type: [FileDiff],
      description: 'The files that differ between the last common commit and the head, by path.',
      select: COMMITS,
      resolve: async (version, _args, context) =>
        entriesOf(await versionDiff(context, await commitsOf(context, version))),
    }),
    fileDiffs: t.field({
      type: FileDiffConnection,
      description: 'The files that differ between the last common commit and the head, by path, page by page.',
      args: {
        ...pageArgs,
        ...fileDiffArgs,
        since: t.arg({
          type: 'Sha',
          description:
            'The `headCommitSha` of another version of the merge request, usually an earlier one: in place of the last common commit it is compared with that, to tell what was pushed in between, with what came from the target branch.',
        }),
      },
      select: { ...COMMITS, mergeRequestId: true },
      resolve: async ({ mergeRequestId, ...version }, { path, since, ...args }, context, info) => {
        if (since != null) await requireHead(context, info, { mergeRequestId, headSha: since });
        const commits = await commitsOf(context, version);
        const compare = () => (since == null ? versionDiff(context, commits) : diffSince(context, commits, since));
        return loadCountedPage(args, info, async (page) => diffPage(await compare(), page, path));
      },
    }),
  }),
});

const MergeRequestVersionConnection = connectionOf('MergeRequestVersion', MergeRequestVersion);

/** The fields of a merge request that lead to the commits of its latest version. */
export const LATEST = { targetProjectId: true, sha: true, latestBaseSha: true, latestStartSha: true } as const;

export interface Latest {
  targetProjectId: number;
  sha: string | null;
  latestBaseSha: string | null;
  latestStartSha: string | null;
}

export async function latestOf(
  context: GraphQLContext,
  { targetProjectId, sha, latestBaseSha, latestStartSha }: Latest,
): Promise<VersionCommits | null> {
  if (sha === null || latestStartSha === null) return null;
  const project = await requireProjectBase(context, targetProjectId);
  return { project, headCommitSha: sha, baseCommitSha: latestBaseSha, startCommitSha: latestStartSha };
}

builder.prismaObjectFields(MergeRequest, (t) => ({
  commits: t.field({
    type: CommitConnection,
    description: 'The commits of the latest version, newest first.',
    args: pageArgs,
    select: LATEST,
    resolve: async (mergeRequest, args, context, info) => {
      const version = await latestOf(context, mergeRequest);
      return loadCountedPage(args, info, (page) => versionCommits(context, version, page));
    },
  }),
  changes: t.field({
    type: [FileDiff],
    description: 'The files that differ between the last common commit and the head of the latest version, by path.',
    select: LATEST,
    resolve: async (mergeRequest, _args, context) =>
      entriesOf(await versionDiff(context, await latestOf(context, mergeRequest))),
  }),
  changesOverflow: t.boolean({
    description: 'Whether some of `changes` are missing or empty because there are too many.',
    select: LATEST,
    resolve: async (mergeRequest, _args, context) =>
      (await versionDiff(context, await latestOf(context, mergeRequest))).overflow,
  }),
  closesIssues: t.field({
    type: IssueConnection,
    description:
      'The issues that merging closes, as far as the caller can see them: those that the title, the description or a commit message says it closes, if the target branch is the default branch.',
    args: pageArgs,
    select: { ...LATEST, title: true, description: true, targetBranch: true },
    resolve: async ({ title, description, targetBranch, ...latest }, args, context, info) => {
      const version = await latestOf(context, latest);
      const project = await requireProjectBase(context, latest.targetProjectId);
      const texts = { title, description, targetBranch, project };
      return loadCountedPage(args, info, (page) =>
        listClosedIssues(context, texts, version, page, selectionAt(info, 'Issue'), (id) =>
          context.loaders.project.load(id),
        ),
      );
    },
  }),
  versions: t.field({
    type: MergeRequestVersionConnection,
    description: 'The versions of the merge request, the latest first.',
    args: { ...pageArgs, ...versionFilter, ...versionOrder('ID', 'desc') },
    select: { id: true },
    resolve: ({ id }, args, context, info) =>
      pageBelow('MergeRequestVersion', id, args, context, info, (_context, ids, page, selection) =>
        listVersions(context, ids, page, selection),
      ),
  }),
  version: t.field({
    type: MergeRequestVersion,
    nullable: true,
    description: 'A version of the merge request by its ID.',
    args: {
      id: t.arg({
        ...idOf('MergeRequestVersion'),
        required: true,
        description: 'Global or numeric ID of the version.',
      }),
    },
    select: { id: true },
    resolve: (mergeRequest, { id }, context, info) =>
      findVersion(context, mergeRequest.id, id, selectionAt(info, 'MergeRequestVersion')),
  }),
}));
