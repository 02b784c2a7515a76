import { Prisma } from '#src/platform/database/db.ts';
import { ownValues } from '#src/platform/records/own_values.ts';

declare module '#src/platform/records/own_values.ts' {
  interface OwnValues {
    Hook: {
      /** Whether requests carry a secret. */
      hasToken: boolean;
    };
  }
}

ownValues('Hook', { hasToken: ({ tokenEncrypted }) => Prisma.sql`${tokenEncrypted} IS NOT NULL` });
