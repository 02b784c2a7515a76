import { builder } from '#schema/builder.ts';
import { projectField } from '#schema/inputs.ts';
import { IssueLink, IssueLinkType } from '#schema/issue_links/types.ts';
import { which } from '#schema/issues/mutations.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import type { LinkRow } from '#src/domain/tracking/issue_links/list.ts';
import { createIssueLink, deleteIssueLink } from '#src/domain/tracking/issue_links/save.ts';

const CreateIssueLinkInput = builder.inputType('CreateIssueLinkInput', {
  description: 'Two issues to link.',
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
});

const DeleteIssueLinkInput = builder.inputType('DeleteIssueLinkInput', {
  description: 'Which link to delete.',
  fields: (t) => ({
    ...which(t),
    id: t.field({ ...idOf('IssueLink'), required: true, description: 'Global or numeric ID of a link of the issue.' }),
  }),
});

const CreateIssueLinkPayload = builder.objectRef<{ link: LinkRow }>('CreateIssueLinkPayload').implement({
  description: 'The link that was created.',
  fields: (t) => ({
    issueLink: t.field({ type: IssueLink, description: 'The link between the issues.', resolve: ({ link }) => link }),
  }),
});

const DeleteIssueLinkPayload = builder.objectRef<{ link: LinkRow }>('DeleteIssueLinkPayload').implement({
  description: 'The link that was deleted.',
  fields: (t) => ({
    deletedIssueLinkId: t.id({
      description: 'Global ID of the link that was deleted.',
      resolve: ({ link }) => toGlobalId('IssueLink', link.id),
    }),
    issueLink: t.field({ type: IssueLink, description: 'The link as it was before.', resolve: ({ link }) => link }),
  }),
});

builder.mutationFields((t) => ({
  createIssueLink: t.field({
    type: CreateIssueLinkPayload,
    description: 'Links two issues. For reporters of both projects; for others there is no such issue to link.',
    args: {
      input: t.arg({ type: CreateIssueLinkInput, required: true, description: 'Names the two issues to link.' }),
    },
    resolve: async (_root, { input: { project, iid, targetProject, targetIid } }, context) => {
      const to = { project: targetProject, iid: targetIid };
      return { link: await createIssueLink(context, { project, iid }, to) };
    },
  }),
  deleteIssueLink: t.field({
    type: DeleteIssueLinkPayload,
    description: 'Deletes a link of an issue. For reporters of its project who can see the other issue.',
    args: {
      input: t.arg({ type: DeleteIssueLinkInput, required: true, description: 'Names the issue and the link.' }),
    },
    resolve: async (_root, { input: { project, iid, id } }, context) => {
      return { link: await deleteIssueLink(context, { project, iid }, id) };
    },
  }),
}));
