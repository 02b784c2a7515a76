import { Branch } from '#schema/branches/types.ts';
import { builder } from '#schema/builder.ts';
import { FileDiffConnection, fileDiffArgs } from '#schema/commits/diff.ts';
import { Commit } from '#schema/commits/types.ts';
import { loadCountedPage, pageArgs } from '#schema/connection.ts';
import { IssueConnection } from '#schema/issues/types.ts';
import { MergeRequestStateFilter } from '#schema/merge_requests/queries.ts';
import { MergeRequest, MergeRequestConnection } from '#schema/merge_requests/types.ts';
import { LATEST, latestOf } from '#schema/merge_requests/versions.ts';
import { PipelineConnection } from '#schema/pipelines/types.ts';
import { Project } from '#schema/projects/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { diffPage } from '#src/domain/repository/commits/diff.ts';
import { mergeRefOf } from '#src/domain/tracking/merge_requests/merge_ref.ts';
import { openMergeRequestsFrom } from '#src/domain/tracking/merge_requests/of_branch.ts';
import { listMergeRequestsOfCommits } from '#src/domain/tracking/merge_requests/of_commit.ts';
import { listMergeRequestPipelines } from '#src/domain/tracking/merge_requests/pipelines.ts';
import { listRelatedIssues } from '#src/domain/tracking/merge_requests/related_issues.ts';
import { versionDiff } from '#src/domain/tracking/merge_requests/versions.ts';
import { wholeText } from '#src/git/diff/whole_text.ts';

builder.prismaObjectFields(MergeRequest, (t) => ({
  fileDiffs: t.field({
    type: FileDiffConnection,
    description:
      'The files that differ between the last common commit and the head of the latest version, by path. `changes` has all of them.',
    args: { ...pageArgs, ...fileDiffArgs },
    select: LATEST,
    resolve: async (mergeRequest, { path, ...args }, context, info) => {
      const version = await latestOf(context, mergeRequest);
      return loadCountedPage(args, info, async (page) => diffPage(await versionDiff(context, version), page, path));
    },
  }),
  rawDiff: t.string({
    description:
      'The text of `changes` as `git diff` writes it. Files that are too large to be compared are told like binary ones; `changesOverflow` says whether there are any, or whether files are missing at the end.',
    select: LATEST,
    resolve: async (mergeRequest, _args, context) => {
      const { entries } = await versionDiff(context, await latestOf(context, mergeRequest));
      return wholeText(entries).toWellFormed();
    },
  }),
  pipelines: t.field({
    type: PipelineConnection,
    description:
      'The pipelines of the heads of all its versions, on the source branch or for the merge request, newest first. For those who can read the pipelines of the source project; none if the caller cannot see that.',
    args: pageArgs,
    select: { sourceProjectId: true, sourceBranch: true },
    resolve: async ({ id, sourceProjectId, sourceBranch }, args, context, info) => {
      const source = sourceProjectId === null ? null : await context.loaders.project.load(sourceProjectId);
      const parent = { id, source, sourceBranch };
      return pageBelow('Pipeline', parent, args, context, info, (_context, parents, page, selection) =>
        listMergeRequestPipelines(context, parents, page, selection),
      );
    },
  }),
  relatedIssues: t.field({
    type: IssueConnection,
    description:
      'The issues that its title, its description, a commit message or a note mentions, as far as the caller can see them.',
    args: pageArgs,
    select: { ...LATEST, title: true, description: true, latestNotes: true, projectFullPath: true },
    resolve: async ({ title, description, latestNotes, projectFullPath, ...latest }, args, context, info) => {
      const version = await latestOf(context, latest);
      const texts = { title, description, latestNotes, projectFullPath };
      return loadCountedPage(args, info, (page) =>
        listRelatedIssues(context, texts, version, page, selectionAt(info, 'Issue'), (projectId) =>
          context.loaders.project.load(projectId),
        ),
      );
    },
  }),
}));

const MergeRef = builder.objectRef<{ commitSha: string }>('MergeRef').implement({
  description: 'The merge of the head of a merge request into the target branch, on no branch.',
  fields: (t) => ({
    commitSha: t.exposeString('commitSha', {
      description: 'Hash of the commit, which git clients can fetch as `refs/merge-requests/<iid>/merge`.',
    }),
  }),
});

builder.objectFields(Project, (t) => ({
  mergeRef: t.field({
    type: MergeRef,
    description:
      'The merge of an open merge request into its target branch as they are now, which is made when it is asked for. It is an error if git cannot merge it.',
    args: { iid: t.arg.int({ required: true, description: 'Number of the merge request within the project.' }) },
    resolve: async (project, { iid }, context) => ({ commitSha: await mergeRefOf(context, project, iid) }),
  }),
}));

builder.objectFields(Commit, (t) => ({
  mergeRequests: t.field({
    type: MergeRequestConnection,
    description:
      'The merge requests into branches of the project that brought the commit, or that it merged, newest first. Of each version the latest 1,000 commits count. For those who can read the files of the project.',
    args: {
      ...pageArgs,
      state: t.arg({ type: MergeRequestStateFilter, description: 'Only merge requests in this state.' }),
    },
    resolve: ({ project, oid }, { state, ...args }, context, info) =>
      pageBelow('MergeRequest', { project, oid }, args, context, info, (_context, parents, page, selection) =>
        listMergeRequestsOfCommits(context, parents, state, page, selection),
      ),
  }),
}));

builder.objectFields(Branch, (t) => ({
  openMergeRequest: t.field({
    type: MergeRequest,
    nullable: true,
    description:
      'The newest open merge request from the branch, which may be one into another project; null without one that the caller can see.',
    resolve: ({ commit, name }, _args, context, info) => {
      const selection = selectionAt(info, 'MergeRequest');
      const load = (branches: readonly { project: number; branch: string }[]) =>
        openMergeRequestsFrom(context, branches, selection);
      return loaderAt(context, info, selection, load, { cache: false }).load({
        project: commit.project.id,
        branch: name,
      });
    },
  }),
}));
