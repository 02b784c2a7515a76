import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { User } from '#schema/users/types.ts';
import { findAnyKey, findKey, type KeyRow, listKeys } from '#src/keys/list.ts';

export const SshKey = builder.objectRef<KeyRow>('SshKey');
SshKey.implement({
  description: 'A public key with which a user reaches repositories over SSH.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({ description: 'Global ID.', resolve: ({ id }) => toGlobalId('SshKey', id) }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID, as the REST API uses it.' }),
    title: t.exposeString('title', { description: 'What the user calls it.' }),
    key: t.exposeString('key', { description: 'Type, base64 and comment, in the form of OpenSSH.' }),
    fingerprint: t.exposeString('fingerprint', { description: 'MD5: hexadecimal pairs with colons between them.' }),
    fingerprintSha256: t.exposeString('fingerprintSha256', { description: 'SHA-256: base64 without padding.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was added.' }),
    canPush: t.boolean({
      description: 'Whether it may push by itself, as some deploy keys may; keys of users may what the user may.',
      resolve: () => false,
    }),
    user: t.expose('user', { type: User, description: 'Whose it is.' }),
  }),
});

export const SshKeyConnection = connectionOf('SshKey', SshKey);

builder.objectFields(User, (t) => ({
  sshKeys: t.field({
    type: SshKeyConnection,
    description: 'Their keys, newest first. For administrators and the user.',
    args: pageArgs,
    resolve: ({ id }, args, context, info) =>
      loadPage(args, info, (page) => listKeys(context, id, page, selectionAt(info, 'User'))),
  }),
  sshKey: t.field({
    type: SshKey,
    description: 'One of their keys. For administrators and the user.',
    args: { id: t.arg({ ...idOf('SshKey'), required: true, description: 'ID of the SSH key.' }) },
    resolve: (user, { id }, context) => findKey(context, user.id, id),
  }),
}));

builder.queryFields((t) => ({
  sshKey: t.field({
    type: SshKey,
    description: "Anybody's key. For administrators.",
    args: { id: t.arg({ ...idOf('SshKey'), required: true, description: 'ID of the SSH key.' }) },
    resolve: (_root, { id }, context) => findAnyKey(context, id),
  }),
}));
