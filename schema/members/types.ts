import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { AccessLevel } from '#schema/enums.ts';
import { userFields } from '#schema/members/user_fields.ts';
import type { MemberRow } from '#src/members/list.ts';

export const Member = builder.objectRef<MemberRow>('Member');
Member.implement({
  description: 'A direct membership of a project or group.',
  fields: (t) => ({
    ...userFields(t),
    role: t.field({ type: AccessLevel, description: 'How far it reaches.', resolve: ({ accessLevel }) => accessLevel }),
    accessLevel: t.exposeInt('accessLevel', { description: 'How far it reaches, as a number.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'Date',
      nullable: true,
      description: 'The day from which on it gives nothing.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Since when.' }),
  }),
});

export const MemberConnection = connectionOf('Member', Member);
