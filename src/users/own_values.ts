import { Prisma } from '#src/platform/db.ts';
import { ownValues } from '#src/platform/records/own_values.ts';

declare module '#src/platform/records/own_values.ts' {
  interface OwnValues {
    User: {
      /** MD5 of the primary address, under which the avatar service knows the user. */
      avatarHash: string;
    };
  }
}

ownValues('User', { avatarHash: (user) => Prisma.sql`md5(lower(${user.email}))` });
