import { Prisma } from '#src/platform/database/db.ts';
import { ownValues } from '#src/platform/records/own_values.ts';

declare module '#src/platform/records/own_values.ts' {
  interface OwnValues {
    OAuthApplication: {
      /** Whether it has a secret; programs on the machines of users cannot keep one. */
      confidential: boolean;
    };
  }
}

ownValues('OAuthApplication', { confidential: ({ secretHash }) => Prisma.sql`${secretHash} IS NOT NULL` });
