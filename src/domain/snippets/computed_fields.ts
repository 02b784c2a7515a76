import { visible } from '#src/domain/snippets/visible.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;
const file = alias('SnippetFile', 'sf');

computedFields('Snippet', {
  files: ({
    id,
    fileName,
    content,
  }) => sql`(SELECT json_agg(json_build_object('snippetId', ${id}, 'position', f.position, 'name', f.name,
      'size', f.size) ORDER BY f.position)
    FROM (SELECT 0 AS position, ${fileName} AS name, octet_length(${content}) AS size UNION ALL
      SELECT ${file.position}, ${file.name}, octet_length(${file.content}) FROM ${table(file)} WHERE ${file.snippetId} = ${id}) f)`,
  isOpen: (snippet, { params }) => params(({ actor }) => visible(actor, false, snippet)),
  isOpenToMember: (snippet, { params }) => params(({ actor }) => visible(actor, true, snippet)),
});
