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
    accessLevel: t.expose('accessLevel', {
      type: AccessLevel,
      description: 'Level of the membership, which says what it allows.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'Date',
      nullable: true,
      description: 'The membership ends at 00:00 UTC on this day; null when it never ends.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the membership began.' }),
  }),
});

export const MemberConnection = connectionOf('Member', Member);
