import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { values } from '#schema/enums.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { sshKeyOrder } from '#schema/orders.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { User } from '#schema/users/types.ts';
import { findAnyKey, findKey, type KeyRow, listKeys } from '#src/domain/users/keys/list.ts';

export const SshKeyUsage = builder.enumType('SshKeyUsage', {
  description: 'What an SSH key is for.',
  values: values<KeyRow['usageType']>({
    AUTH: { value: 'auth', description: 'Signing in, as for git over SSH.' },
    SIGNING: { value: 'signing', description: 'Signing commits; nobody is let in by it.' },
    AUTH_AND_SIGNING: { value: 'auth_and_signing', description: 'Signing in, and signing commits.' },
  }),
});

export const SshKey = builder.objectRef<KeyRow>('SshKey');
SshKey.implement({
  description: 'A public key for accessing repositories over SSH.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the key, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('SshKey', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the key, as the REST API uses it.' }),
    title: t.exposeString('title', { description: 'Title that the user gave the key.' }),
    key: t.exposeString('key', {
      description: 'The public key in OpenSSH format, on one line: type, Base64 and comment.',
    }),
    fingerprint: t.exposeString('fingerprint', {
      description: 'MD5 fingerprint: hexadecimal pairs separated by colons.',
    }),
    fingerprintSha256: t.exposeString('fingerprintSha256', {
      description: 'SHA-256 fingerprint: base64 without padding.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the key was added.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'From when on nobody is let in by the key; null when it never expires.',
    }),
    usageType: t.expose('usageType', { type: SshKeyUsage, description: 'What the key is for.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key was last used, to the minute; null if never.',
    }),
    canPush: t.boolean({
      description:
        'Always false: deploy keys with push access are of the type `DeployKey`, and keys of users have the permissions of their user.',
      resolve: () => false,
    }),
    user: t.expose('user', { type: User, description: 'The user who owns the key.' }),
  }),
});

export const SshKeyConnection = connectionOf('SshKey', SshKey);

builder.objectFields(User, (t) => ({
  sshKeys: t.field({
    type: SshKeyConnection,
    description: 'The SSH keys of the user, newest first. For administrators and the user.',
    args: { ...pageArgs, ...sshKeyOrder('ID', 'desc') },
    resolve: ({ id }, args, context, info) =>
      loadPage(args, info, (page) => listKeys(context, id, page, selectionAt(info, 'User'))),
  }),
  sshKey: t.field({
    type: SshKey,
    description: 'An SSH key of the user by its ID. For administrators and the user.',
    args: {
      id: t.arg({ ...idOf('SshKey'), required: true, description: 'Global or numeric ID of the key.' }),
    },
    resolve: (user, { id }, context) => findKey(context, user.id, id),
  }),
}));

builder.queryFields((t) => ({
  sshKey: t.field({
    type: SshKey,
    description: 'An SSH key of any user by its ID. For administrators.',
    args: {
      id: t.arg({ ...idOf('SshKey'), required: true, description: 'Global or numeric ID of the key.' }),
    },
    resolve: (_root, { id }, context) => findAnyKey(context, id),
  }),
}));
