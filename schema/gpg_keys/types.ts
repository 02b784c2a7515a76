import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { gpgKeyFilter } from '#schema/filters.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { gpgKeyOrder } from '#schema/orders.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { User } from '#schema/users/types.ts';
import { findGpgKey, listGpgKeys } from '#src/domain/users/gpg_keys/list.ts';

builder.prismaObject('GpgSubkey', {
  description: 'A subkey of a GPG key, with which commits are signed.',
  select: { id: true },
  fields: (t) => ({
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the subkey, as the REST API uses it.' }),
    keyId: t.exposeString('keyId', { description: 'The last 16 hexadecimal digits of its fingerprint.' }),
    fingerprint: t.exposeString('fingerprint', { description: 'The fingerprint in hexadecimal digits.' }),
  }),
});

interface GpgUserId {
  name: string;
  email: string;
}

const GpgUserIdType = builder.objectRef<GpgUserId>('GpgUserId').implement({
  description: 'A name and an address that a GPG key certifies itself.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name as the key has it.' }),
    email: t.exposeString('email', { description: 'The address, in lower case; empty if the key has none.' }),
  }),
});

export const GpgKey = builder.prismaObject('GpgKey', {
  description: 'A public key of OpenPGP with which commits of its user are verified.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the key, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('GpgKey', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the key, as the REST API uses it.' }),
    key: t.exposeString('key', { description: 'The public key in its armor.' }),
    fingerprint: t.exposeString('fingerprint', { description: 'The fingerprint in hexadecimal digits.' }),
    primaryKeyId: t.exposeString('primaryKeyId', {
      description: 'The last 16 hexadecimal digits of the fingerprint of the primary key.',
    }),
    userIds: t.field({
      type: [GpgUserIdType],
      description: 'The names and addresses that the key certifies itself.',
      select: { names: true, emails: true },
      resolve: ({ names, emails }) => emails.map((email, index) => ({ name: names[index] ?? '', email })),
    }),
    verifiedEmails: t.field({
      type: ['String'],
      description:
        'Those of its addresses that are confirmed addresses of the user: commits with them can be verified.',
      select: { verifiedEmails: true },
      resolve: ({ verifiedEmails }) => verifiedEmails,
    }),
    subkeys: t.relation('subkeys', { description: 'The subkeys that sign, or did so until they were revoked.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'From when on the key makes no valid signatures; null if it never expires.',
    }),
    revoked: t.exposeBoolean('revoked', { description: 'Whether the key says that it was revoked.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the key was added.' }),
    user: t.relation('user', { description: 'The user who owns the key.' }),
  }),
});

const GpgKeyConnection = connectionOf('GpgKey', GpgKey);

builder.objectFields(User, (t) => ({
  gpgKeys: t.field({
    type: GpgKeyConnection,
    description: 'The GPG keys of the user, newest first. For whoever is signed in.',
    args: { ...pageArgs, ...gpgKeyFilter, ...gpgKeyOrder('ID', 'desc') },
    resolve: ({ id }, args, context, info) => pageBelow('GpgKey', id, args, context, info, listGpgKeys),
  }),
  gpgKey: t.field({
    type: GpgKey,
    description: 'A GPG key of the user by its ID. For whoever is signed in.',
    args: { id: t.arg({ ...idOf('GpgKey'), required: true, description: 'Global or numeric ID of the key.' }) },
    resolve: (user, { id }, context, info) => findGpgKey(context, user.id, id, selectionAt(info, 'GpgKey')),
  }),
}));
