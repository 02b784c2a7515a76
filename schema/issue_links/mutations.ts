import { projectField } from '#schema/inputs.ts';
import { IssueLink, IssueLinkType } from '#schema/issue_links/types.ts';
import { which } from '#schema/issues/mutations.ts';
import { mutation } from '#schema/mutation.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { fromProject } from '#schema/places/parents.ts';
import { createIssueLink, deleteIssueLink } from '#src/domain/tracking/issue_links/save.ts';

mutation('createIssueLink', {
  description: 'Links two issues. For reporters of both projects; for others there is no such issue to link.',
  input: {
    description: 'Two issues to link.',
    argument: 'Names the two issues to link.',
    fields: (t) => ({
      ...which(t),
      targetProject: projectField(t, 'of the other issue'),
      targetIid: t.int({ required: true, description: 'Number of the other issue within its project.' }),
      linkType: t.field({
        type: IssueLinkType,
        required: true,
        defaultValue: 'relates_to',
        description: 'How the issues are related.',
      }),
    }),
  },
  resolve: async ({ project, iid, targetProject, targetIid }, context) => {
    const to = { project: targetProject, iid: targetIid };
    return { link: await createIssueLink(context, { project, iid }, to) };
  },
  payload: {
    description: 'The link that was created.',
    fields: (t) => ({
      issueLink: t.field({ type: IssueLink, description: 'The link between the issues.', resolve: ({ link }) => link }),
    }),
  },
});

mutation('deleteIssueLink', {
  description: 'Deletes a link of an issue. For reporters of its project who can see the other issue.',
  input: {
    description: 'Which link to delete.',
    argument: 'Names the issue and the link.',
    fields: (t) => ({
      ...which(t),
      id: t.field({
        ...idOf('IssueLink'),
        required: true,
        description: 'Global or numeric ID of a link of the issue.',
      }),
    }),
  },
  resolve: async ({ project, iid, id }, context) => {
    return { link: await deleteIssueLink(context, { project, iid }, id) };
  },
  payload: {
    from: fromProject,
    description: 'The link that was deleted.',
    fields: (t) => ({
      deletedIssueLinkId: t.id({
        description: 'Global ID of the link that was deleted.',
        resolve: ({ link }) => toGlobalId('IssueLink', link.id),
      }),
      issueLink: t.field({ type: IssueLink, description: 'The link as it was before.', resolve: ({ link }) => link }),
    }),
  },
});
