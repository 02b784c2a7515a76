import { Prisma } from '#src/platform/database/db.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

computedFields('Hook', { hasToken: ({ tokenEncrypted }) => Prisma.sql`${tokenEncrypted} IS NOT NULL` });
