import { builder } from '#schema/builder.ts';
import { Deployment } from '#schema/deployments/types.ts';
import { mergeRequestArgs, order } from '#schema/merge_requests/queries.ts';
import { MergeRequestConnection } from '#schema/merge_requests/types.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { listMergeRequestsOf } from '#src/domain/tracking/merge_requests/list.ts';
import { shippedCommits } from '#src/domain/tracking/merge_requests/of_deployment.ts';

builder.prismaObjectFields(Deployment, (t) => ({
  mergeRequests: t.field({
    type: MergeRequestConnection,
    description:
      'The merged merge requests that the deployment was the first to bring to its environment, of its latest 10,000 commits.',
    args: mergeRequestArgs,
    select: { projectId: true, sha: true, previousSha: true },
    resolve: async ({ projectId, ...commits }, args, context, info) => {
      const project = await requireProjectBase(context, projectId);
      const parent = { project, commits: await shippedCommits(context, project, commits) };
      return pageBelow('MergeRequest', parent, args, context, info, (_context, parents, page, selection) =>
        listMergeRequestsOf(context, parents, args.filter ?? {}, order(args), page, selection),
      );
    },
  }),
}));
