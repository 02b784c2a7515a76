import { Prisma } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;
const [project, namespace] = [alias('Project', 'pp'), alias('Namespace', 'pn')];
const pipeline = alias('Pipeline', 'lp');

// Who starts a pipeline by a trigger learns its address, although they do not see the project.
computedFields('Pipeline', { projectFullPath: ({ projectId }) => pathOf(projectId) });
computedFields('Job', { projectFullPath: ({ projectId }) => pathOf(projectId) });

computedFields('PipelineSchedule', {
  lastPipelineId: ({ id }) =>
    sql`(SELECT max(${pipeline.id}) FROM ${table(pipeline)} WHERE ${pipeline.scheduleId} = ${id})`,
});

function pathOf(projectId: Prisma.Sql): Prisma.Sql {
  return sql`(SELECT ${namespace.fullPath} || '/' || ${project.path} FROM ${table(project)}
    JOIN ${table(namespace)} ON ${namespace.id} = ${project.namespaceId} WHERE ${project.id} = ${projectId})`;
}
