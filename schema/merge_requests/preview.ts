import { builder } from '#schema/builder.ts';
import { CommitConnection } from '#schema/commits/types.ts';
import { loadCountedPage, pageArgs } from '#schema/connection.ts';
import { requireProject } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import { Comparison } from '#schema/repository/types.ts';
import { NewDescription } from '#schema/templates/of_project.ts';
import { compareRefs } from '#src/domain/repository/compare.ts';
import { beginMergeRequest } from '#src/domain/tracking/merge_requests/begin_description.ts';
import { type MergeRequestPreview, previewMergeRequest } from '#src/domain/tracking/merge_requests/preview.ts';
import { type PushedBranch, pushedBranches } from '#src/domain/tracking/merge_requests/pushed_branch.ts';
import { versionCommits } from '#src/domain/tracking/merge_requests/versions.ts';

const Preview = builder.objectRef<MergeRequestPreview>('MergeRequestPreview').implement({
  description: 'What a merge request between two branches would bring if it was opened now.',
  fields: (t) => ({
    sourceBranch: t.exposeString('sourceBranch', { description: 'Name of the branch that would be merged.' }),
    targetProject: t.field({
      type: Project,
      description: 'The project that would get the changes.',
      resolve: ({ target }, _args, context, info) => requireProject(context, info, target.id),
    }),
    targetBranch: t.exposeString('targetBranch', { description: 'Name of the branch that it would be merged into.' }),
    title: t.exposeString('title', {
      description: 'A title for it: that of its only commit, or else the name of the branch in words.',
    }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'A description for it: the message of its only commit without the title; null without one.',
    }),
    newDescription: t.field({
      type: NewDescription,
      description:
        'What its description begins with: the template of the target project, as `Project.newDescription` has it, in which the placeholders `%{source_branch}`, `%{target_branch}`, `%{first_commit}`, `%{first_multiline_commit}`, `%{first_multiline_commit_description}`, `%{all_commits}` and `%{co_authored_by}` are filled in from the latest 100 commits, and below it `description`, unless the template has a placeholder for messages of commits.',
      args: {
        template: t.arg.string({
          description: 'Name of a template, in any case. Names that do not exist count as none.',
        }),
      },
      resolve: (preview, { template }, context) => beginMergeRequest(context, preview, template),
    }),
    changesCount: t.exposeString('changesCount', {
      nullable: true,
      description:
        'Number of files that it would change, with `+` behind it if there are more than are counted; null if the fork lacks the head of the target branch, so that they can be compared only once it is opened.',
    }),
    commits: t.field({
      type: CommitConnection,
      description: 'The commits that it would bring, newest first; none where `changesCount` is null.',
      args: pageArgs,
      resolve: ({ version }, args, context, info) =>
        loadCountedPage(args, info, (page) => versionCommits(context, version, page)),
    }),
    comparison: t.field({
      type: Comparison,
      nullable: true,
      description: 'The source branch compared with the target branch; null where `changesCount` is.',
      resolve: ({ version }, _args, context) => {
        if (version === null) return null;
        const { project, startCommitSha: from, headCommitSha: to } = version;
        return compareRefs(context, project, { from, to, straight: false });
      },
    }),
  }),
});

const Pushed = builder.objectRef<PushedBranch>('PushedBranch').implement({
  description: 'A branch that the caller pushed to a short time ago.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the branch, without `refs/heads/`.' }),
    pushedAt: t.expose('pushedAt', { type: 'DateTime', description: 'When the caller pushed to it last.' }),
  }),
});

const PUSHED = { key: 'viewerPushedBranch' };

builder.objectFields(Project, (t) => ({
  viewerPushedBranch: t.field({
    type: Pushed,
    nullable: true,
    description:
      'The branch to which the caller pushed last, within two hours, if a merge request can be opened from it: it still exists, is not the default branch, and has no open merge request. Null otherwise, and for those who cannot open merge requests from the project.',
    resolve: (project, _args, context, info) =>
      loaderAt(context, info, PUSHED, (some: readonly (typeof project)[]) => pushedBranches(context, some)).load(
        project,
      ),
  }),
  mergeRequestPreview: t.field({
    type: Preview,
    description:
      'What a merge request from a branch of the project would bring. For developers of the project, who can read the target project. VALIDATION_FAILED if one of the branches does not exist.',
    args: {
      sourceBranch: t.arg.string({ required: true, description: 'Name of the branch to merge.' }),
      targetProject: t.arg({
        type: 'ProjectRef',
        description:
          'The project that gets the changes: the project itself, or the one that it is a fork of, which is the default for forks. Given by full path, global ID or numeric ID.',
      }),
      targetBranch: t.arg.string({
        description: 'Name of the branch to merge into; the default branch of the target project when left out.',
      }),
    },
    resolve: (project, args, context) => previewMergeRequest(context, project, args),
  }),
}));
