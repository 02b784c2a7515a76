import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { emailOrder } from '#schema/orders.ts';
import { User } from '#schema/users/types.ts';
import { type EmailRow, findEmail, listEmails } from '#src/domain/users/emails/list.ts';

export const Email = builder.objectRef<EmailRow>('Email');
Email.implement({
  description: 'A secondary e-mail address of a user.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the address, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('Email', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the address, as the REST API uses it.' }),
    email: t.exposeString('email', { description: 'The e-mail address, in lower case.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the address was added.' }),
    confirmedAt: t.expose('confirmedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the user confirmed the address; null if they have not.',
    }),
  }),
});

export const EmailConnection = connectionOf('Email', Email);

builder.objectFields(User, (t) => ({
  secondaryEmails: t.field({
    type: EmailConnection,
    description: 'The secondary addresses of the user, newest first. For administrators and the user.',
    args: { ...pageArgs, ...emailOrder('ID', 'desc') },
    resolve: ({ id }, args, context, info) => loadPage(args, info, (page) => listEmails(context, id, page)),
  }),
  secondaryEmail: t.field({
    type: Email,
    description: 'A secondary address of the user by its ID. For administrators and the user.',
    args: {
      id: t.arg({ ...idOf('Email'), required: true, description: 'Global or numeric ID of the address.' }),
    },
    resolve: (user, { id }, context) => findEmail(context, user.id, id),
  }),
}));
