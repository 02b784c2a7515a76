import { Prisma } from '#src/platform/database/db.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

declare module '#src/platform/records/computed_fields.ts' {
  interface ComputedFields {
    OAuthApplication: {
      /** Whether it has a secret; programs on the machines of users cannot keep one. */
      confidential: boolean;
    };
  }
}

computedFields('OAuthApplication', { confidential: ({ secretHash }) => Prisma.sql`${secretHash} IS NOT NULL` });
