import type { People } from '#src/domain/project_archives/people.ts';
import { type RememberedRecord, SourceRecords } from '#src/domain/project_archives/source_records.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/**
 * Names who published the packages that came, as far as their source tells: they came before it was known who is who. The tree of the
 * import has to be there.
 */
export async function nameCreators(tx: Transaction, projectId: number, people: People): Promise<void> {
  const source = new SourceRecords(tx, projectId);
  for await (const some of source.each('packages')) {
    const named = some.filter(({ fields, recordId }) => fields.user !== undefined && recordId !== null);
    if (named.length === 0) continue;
    await people.prepare(named.map(({ fields }) => Number(fields.user)));
    const rows = JSON.stringify(
      named.map(({ recordId, fields }) => ({ id: recordId, creator: people.author(Number(fields.user)) })),
    );
    await tx.$executeRaw`
      UPDATE packages k SET creator_id = r.creator FROM jsonb_to_recordset(${rows}::jsonb) AS r (id int, creator int)
      WHERE k.id = r.id AND k.project_id = ${projectId} AND r.creator IS NOT NULL`;
    await source.remember(
      'packages',
      named.map((one): RememberedRecord => ({ ...one, fields: {} })),
    );
    await people.settle();
  }
}
