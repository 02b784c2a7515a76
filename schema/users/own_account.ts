import { builder } from '#schema/builder.ts';
import { values } from '#schema/enums.ts';
import { mutation } from '#schema/mutation.ts';
import { toGlobalId } from '#schema/node/types.ts';
import { requireAccount } from '#src/access/permissions/actor.ts';
import {
  type DataExport,
  type DataExportStatus,
  findDataExport,
  requestDataExport,
} from '#src/domain/lifecycle/data_export.ts';
import { type AccountDeletion, deleteAccount, findAccountDeletion } from '#src/domain/lifecycle/delete_account.ts';

const DataExportStatusType = builder.enumType('DataExportStatus', {
  description: 'How far the export of the data of a user is.',
  values: values<DataExportStatus>({
    NONE: { value: 'none', description: 'There is no archive, or it has expired.' },
    QUEUED: { value: 'queued', description: 'The export waits for its turn.' },
    STARTED: { value: 'started', description: 'The archive is being made.' },
    FINISHED: { value: 'finished', description: 'The archive can be downloaded.' },
    FAILED: { value: 'failed', description: 'The archive could not be made.' },
  }),
});

const DataExportType = builder.objectRef<DataExport>('DataExport').implement({
  description: 'The archive of what the server knows of the caller, as JSON.',
  fields: (t) => ({
    status: t.expose('status', { type: DataExportStatusType, description: 'How far the export is.' }),
    error: t.exposeString('error', { nullable: true, description: 'Why the export failed; null if it did not.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the archive was finished that can be downloaded; null without one.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Until when that archive is kept; null without one.',
    }),
    size: t.expose('size', {
      type: 'Long',
      nullable: true,
      description: 'Size of that archive in bytes; null without one.',
    }),
  }),
});

const AccountDeletionType = builder.objectRef<AccountDeletion>('AccountDeletion').implement({
  description: 'What the deletion of the account of the caller does, and what keeps it from being deleted.',
  fields: (t) => ({
    projects: t.exposeInt('projects', {
      description: 'Personal projects, which are deleted with all that is in them.',
    }),
    snippets: t.exposeInt('snippets', { description: 'Personal snippets, which are deleted too.' }),
    memberships: t.exposeInt('memberships', { description: 'Memberships of projects and groups, which end.' }),
    keys: t.exposeInt('keys', { description: 'SSH and GPG keys, which are deleted too.' }),
    tokens: t.exposeInt('tokens', { description: 'Access tokens, which stop working.' }),
    issues: t.exposeInt('issues', { description: 'Issues of the caller, which stay with an unknown author.' }),
    mergeRequests: t.exposeInt('mergeRequests', {
      description: 'Merge requests of the caller, which stay with an unknown author.',
    }),
    notes: t.exposeInt('notes', { description: 'Comments of the caller, which stay with an unknown author.' }),
    ownedGroups: t.exposeStringList('ownedGroups', {
      description: 'Full paths of groups of which nobody else is an owner, at most a hundred: they keep the account.',
    }),
    lastAdministrator: t.exposeBoolean('isLastAdministrator', {
      description: 'Whether no other administrator is active, which keeps the account from being deleted.',
    }),
  }),
});

builder.queryFields((t) => ({
  viewerDataExport: t.field({
    type: DataExportType,
    description: 'How far the export of the data of the caller is. For users themselves.',
    resolve: (_root, _args, context) => findDataExport(context),
  }),
  viewerAccountDeletion: t.field({
    type: AccountDeletionType,
    description: 'What the deletion of the account of the caller would do. For users themselves.',
    resolve: (_root, _args, context) => findAccountDeletion(context),
  }),
}));

mutation('requestDataExport', {
  description: 'Has an archive made of what the server knows of the caller. Nothing changes while one is being made.',
  input: { description: 'No input is needed to export one’s own data.', argument: 'No values have to be given.' },
  resolve: async (_input, context) => ({ dataExport: await requestDataExport(context) }),
  payload: {
    description: 'The export that was asked for.',
    fields: (t) => ({
      dataExport: t.expose('dataExport', { type: DataExportType, description: 'How far the export is.' }),
    }),
  },
});

mutation('deleteAccount', {
  description:
    'Deletes the account of the caller, as `deleteUser`. Refused to the only owner of a group and to the only administrator.',
  input: {
    description: 'What shows that the caller wants their account to be deleted: the password or a code.',
    argument: 'The username, and a password or code.',
    fields: (t) => ({
      username: t.string({ required: true, description: 'The username of the caller, typed by hand.' }),
      password: t.string({ description: 'The password of the caller; not needed with a code.' }),
      code: t.string({
        description: 'A code from the authenticator app, or a recovery code, which cannot be used again.',
      }),
    }),
  },
  resolve: async (input, context) => {
    const { id } = requireAccount(context);
    await deleteAccount(context, input);
    return { id };
  },
  payload: {
    description: 'Which account is gone from now on.',
    fields: (t) => ({
      deletedAccountId: t.id({
        description: 'Global ID that the user had.',
        resolve: ({ id }) => toGlobalId('User', id),
      }),
    }),
  },
});
