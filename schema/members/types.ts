import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { AccessLevel } from '#schema/enums.ts';
import { page, picture, userFields } from '#schema/members/user_fields.ts';
import '#schema/users/types.ts';

export const Member = builder.prismaObject('Member', {
  description: 'A direct membership of a project or group.',
  select: { id: true },
  fields: (t) => ({
    ...userFields(t as never),
    avatarUrl: t.string(picture),
    webUrl: t.string(page),
    accessLevel: t.expose('accessLevel', { type: AccessLevel, description: 'The level of access that it gives.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'Date',
      nullable: true,
      description: 'The day from which on it gives nothing.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Since when.' }),
  }),
});

export const MemberConnection = connectionOf('Member', Member);
