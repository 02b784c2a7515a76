import { Prisma } from '#src/platform/database/db.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

declare module '#src/platform/records/computed_fields.ts' {
  interface ComputedFields {
    Hook: {
      /** Whether requests carry a secret. */
      hasToken: boolean;
    };
  }
}

computedFields('Hook', { hasToken: ({ tokenEncrypted }) => Prisma.sql`${tokenEncrypted} IS NOT NULL` });
