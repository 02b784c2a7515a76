import { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { projectField } from '#schema/inputs.ts';
import { mutation } from '#schema/mutation.ts';
import { projectPayload } from '#schema/projects/mutations.ts';
import { Project } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { userPayload } from '#schema/users/payloads.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import {
  mailInVersion,
  newIssueAddress,
  resetMailInAddresses,
  resetServiceDeskAddress,
  serviceDeskAddress,
} from '#src/domain/mail_in/addresses.ts';
import { findViewer } from '#src/domain/users/find.ts';

/** What was read for an operation, which may ask for the address of many projects. */
const versions = new WeakMap<GraphQLContext, Promise<number>>();

function versionOf(context: GraphQLContext, actor: Actor): Promise<number> {
  const version = versions.get(context) ?? mailInVersion(context, actor);
  versions.set(context, version);
  return version;
}

builder.prismaObjectFields(Project, (t) => ({
  serviceDeskAddress: t.string({
    nullable: true,
    description:
      'The email address at which messages from people without an account open confidential issues, for reporters. Null while `serviceDeskEnabled` is false, and where the server receives no mail.',
    select: { serviceDeskEnabled: true, serviceDeskVersion: true },
    resolve: (project, _args, context) => serviceDeskAddress(context, project, project),
  }),
}));

builder.objectFields(Project, (t) => ({
  viewerMailInAddress: t.string({
    nullable: true,
    description:
      'The email address at which messages from the caller open issues in the project. It works without a token, so keep it secret. Null for callers who cannot open issues, for OAuth tokens and tokens without the scope `api`, and where the server receives no mail.',
    resolve: (project, _args, context) => newIssueAddress(context, project, (actor) => versionOf(context, actor)),
  }),
}));

mutation('resetMailInAddresses', {
  description:
    'Replaces the caller’s email addresses for new issues and for replies to notifications: messages to the earlier ones are refused. For people to whom an address got known, for example with a forwarded notification.',
  input: {
    description: 'No input is needed to reset the caller’s addresses.',
    argument: 'No values have to be given.',
  },
  resolve: async (_input, context, info) => {
    await resetMailInAddresses(context);
    return { user: await findViewer(context, selectionAt(info, 'User')) };
  },
  payload: userPayload('The caller, with new addresses.'),
});

mutation('resetServiceDeskAddress', {
  description:
    'Gives the service desk of a project a new email address, and ends the earlier one together with those at which people reply to mail from it: messages to them are refused. For masters of the project.',
  input: {
    description: 'The project whose service desk gets a new address.',
    argument: 'The project with the service desk.',
    fields: (t) => ({ project: projectField(t, 'whose service desk gets a new address') }),
  },
  resolve: async ({ project }, context) => ({ project: await resetServiceDeskAddress(context, project) }),
  payload: projectPayload('The project, whose service desk has a new address.'),
});
