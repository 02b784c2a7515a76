import { ImportSourceUser } from '#schema/import_source_users/types.ts';
import type { InputFields } from '#schema/inputs.ts';
import { mutation, type Payload } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { acceptReassignment, rejectReassignment } from '#src/domain/placeholder_users/answer.ts';
import { readSourceUser } from '#src/domain/placeholder_users/find.ts';
import {
  type ChangedSourceUser,
  cancelReassignment,
  giveToGhost,
  keepAsPlaceholder,
  reassign,
  remind,
} from '#src/domain/placeholder_users/reassign.ts';

const payload: Payload<ChangedSourceUser> = {
  description: 'The user of a source that was changed.',
  fields: (t) => ({
    importSourceUser: t.field({
      type: ImportSourceUser,
      description: 'The user of a source, as it is now.',
      resolve: ({ id }, _args, context, info) => readSourceUser(context, id, selectionAt(info, 'ImportSourceUser')),
    }),
  }),
};

const one = (t: InputFields) => ({
  id: t.field({
    ...idOf('ImportSourceUser'),
    required: true,
    description: 'Global or numeric ID of the user of a source.',
  }),
});

mutation('reassignImportSourceUser', {
  description:
    'Asks an account to take over a placeholder; one that has accepted before gets what came since. Where the settings of the server let them, administrators assign it without asking. For owners of the namespace.',
  input: {
    description: 'Which placeholder an account is to take over.',
    argument: 'Names the user of a source and the account.',
    fields: (t) => ({
      ...one(t),
      userId: t.field({
        ...idOf('User'),
        description: 'Global or numeric ID of the account, which has to be that of an active person.',
      }),
      username: t.string({ description: 'Username of the account, in place of its ID.' }),
    }),
  },
  resolve: ({ id, ...account }, context) => reassign(context, id, account),
  payload,
});

mutation('remindImportSourceUserReassignment', {
  description:
    'Mails the request to take over a placeholder once more, at most three times an hour. For owners of the namespace.',
  input: { description: 'Of which request to remind.', argument: 'Names the user of a source.', fields: one },
  resolve: ({ id }, context) => remind(context, id),
  payload,
});

mutation('cancelImportSourceUserReassignment', {
  description: 'Withdraws the request to an account to take over a placeholder. For owners of the namespace.',
  input: {
    description: 'For which placeholder to withdraw the request.',
    argument: 'Names the user of a source.',
    fields: one,
  },
  resolve: ({ id }, context) => cancelReassignment(context, id),
  payload,
});

mutation('keepImportSourceUserAsPlaceholder', {
  description: 'Decides that a placeholder stays as it is. For owners of the namespace.',
  input: { description: 'Which placeholder stays as it is.', argument: 'Names the user of a source.', fields: one },
  resolve: ({ id }, context) => keepAsPlaceholder(context, id),
  payload,
});

mutation('giveImportSourceUserToGhost', {
  description:
    'Gives everything of a placeholder to the ghost user and removes the placeholder, which cannot be undone. For owners of the namespace.',
  input: { description: 'Which placeholder to remove.', argument: 'Names the user of a source.', fields: one },
  resolve: ({ id }, context) => giveToGhost(context, id),
  payload,
});

mutation('acceptImportSourceUserReassignment', {
  description:
    'Accepts to be who a placeholder stands for: everything of it becomes the caller’s, and what owners of the namespace import later. For the account that was asked.',
  input: { description: 'Which placeholder to take over.', argument: 'Names the user of a source.', fields: one },
  resolve: ({ id }, context) => acceptReassignment(context, id),
  payload,
});

mutation('rejectImportSourceUserReassignment', {
  description: 'Refuses to be who a placeholder stands for. For the account that was asked.',
  input: { description: 'Which request to refuse.', argument: 'Names the user of a source.', fields: one },
  resolve: ({ id }, context) => rejectReassignment(context, id),
  payload,
});
