import { Prisma } from '#src/platform/database/db.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;

computedFields('Hook', {
  hasToken: ({ tokenEncrypted }) => sql`${tokenEncrypted} IS NOT NULL`,
  sendsConfidentialNotes: ({ confidentialNoteEvents, noteEvents, confidentialIssuesEvents }) =>
    sql`COALESCE(${confidentialNoteEvents}, ${noteEvents} AND ${confidentialIssuesEvents})`,
});
