import { type InputFields, projectField } from '#schema/inputs.ts';
import { IssueLink } from '#schema/issue_links/types.ts';
import { linkTypeField, which } from '#schema/issues/mutations.ts';
import { mutation } from '#schema/mutation.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf, idsOf } from '#schema/node/plugin.ts';
import { fromProject } from '#schema/places/parents.ts';
import {
  createIssueLink,
  createIssueLinks,
  deleteIssueLink,
  deleteIssueLinks,
} from '#src/domain/tracking/issue_links/save.ts';
import { BadRequest } from '#src/platform/errors.ts';

mutation('createIssueLink', {
  description: 'Links two issues. For reporters of both projects; for others there is no such issue to link.',
  input: {
    description: 'Two issues to link.',
    argument: 'Names the two issues to link.',
    fields: (t) => ({
      ...which(t),
      targetProject: projectField(t, 'of the other issue'),
      targetIid: t.int({ required: true, description: 'Number of the other issue within its project.' }),
      linkType: linkTypeField(t),
    }),
  },
  resolve: async ({ project, iid, targetProject, targetIid, linkType }, context) => {
    const to = { project: targetProject, iid: targetIid };
    return { link: await createIssueLink(context, { project, iid }, to, linkType) };
  },
  payload: {
    description: 'The link that was created.',
    fields: (t) => ({
      issueLink: t.field({ type: IssueLink, description: 'The link between the issues.', resolve: ({ link }) => link }),
    }),
  },
});

/** The issues at the other ends of links. */
const others = (t: InputFields) => ({
  issueIds: t.field({
    ...idsOf('Issue'),
    required: true,
    description: 'Global or numeric IDs of the other issues; one to 20.',
  }),
});

mutation('createIssueLinks', {
  description:
    'Links an issue with several others: all or none. For reporters of all projects; for others there are no such issues to link.',
  input: {
    description: 'An issue, and others to link it with.',
    argument: 'Names the issue and the others.',
    fields: (t) => ({ ...which(t), ...others(t), linkType: linkTypeField(t) }),
  },
  resolve: async ({ project, iid, issueIds, linkType }, context) => ({
    links: await createIssueLinks(context, { project, iid }, issueIds, linkType),
  }),
  payload: {
    description: 'The links that were created.',
    fields: (t) => ({
      issueLinks: t.field({
        type: [IssueLink],
        description: 'The links between the issues, in the order of `issueIds`.',
        resolve: ({ links }) => links,
      }),
    }),
  },
});

mutation('deleteIssueLinks', {
  description:
    'Deletes the links of an issue with several others: all or none. For reporters of its project who can see the others.',
  input: {
    description: 'An issue, and others that it is linked with.',
    argument: 'Names the issue and the others.',
    fields: (t) => ({ ...which(t), ...others(t) }),
  },
  resolve: async ({ project, iid, issueIds }, context) => ({
    links: await deleteIssueLinks(context, { project, iid }, issueIds),
  }),
  payload: {
    from: fromProject,
    description: 'The links that were deleted.',
    fields: (t) => ({
      deletedIssueLinkIds: t.idList({
        description: 'Global IDs of the links that were deleted.',
        resolve: ({ links }) => links.map(({ id }) => toGlobalId('IssueLink', id)),
      }),
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
        description: 'Global or numeric ID of a link of the issue; not together with `otherIssueId`.',
      }),
      otherIssueId: t.field({ ...idOf('Issue'), description: 'Global or numeric ID of the other issue of the link.' }),
    }),
  },
  resolve: async ({ project, iid, id, otherIssueId: otherId }, context) => {
    if ((id == null) === (otherId == null)) throw new BadRequest('Give one of id and otherIssueId', 'id');
    const link = id == null ? { otherId: otherId ?? 0 } : { id };
    return { link: await deleteIssueLink(context, { project, iid }, link) };
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
