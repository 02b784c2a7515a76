import { Prisma } from '#src/platform/database/db.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

computedFields('OAuthApplication', { confidential: ({ secretHash }) => Prisma.sql`${secretHash} IS NOT NULL` });
