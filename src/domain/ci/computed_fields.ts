import { Prisma } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;
const [project, namespace] = [alias('Project', 'pp'), alias('Namespace', 'pn')];
const [pipeline, deployment, job] = [alias('Pipeline', 'lp'), alias('Deployment', 'ld'), alias('Job', 'cj')];

// Who starts a pipeline by a trigger learns its address, although they do not see the project.
computedFields('Pipeline', { projectFullPath: ({ projectId }) => pathOf(projectId) });
computedFields('Job', {
  artifactsOptions: ({ options }) => sql`${options} -> 'artifacts'`,
  projectFullPath: ({ projectId }) => pathOf(projectId),
  downstreamPipelineId: ({ id }) =>
    sql`(SELECT max(${pipeline.id}) FROM ${table(pipeline)} WHERE ${pipeline.sourceJobId} = ${id})`,
});

computedFields('PipelineSchedule', {
  lastPipelineId: ({ id }) =>
    sql`(SELECT max(${pipeline.id}) FROM ${table(pipeline)} WHERE ${pipeline.scheduleId} = ${id})`,
});

computedFields('ResourceGroup', {
  currentJobId: ({ projectId, key }) =>
    sql`(SELECT min(${job.id}) FROM ${table(job)} WHERE ${job.projectId} = ${projectId} AND ${job.resourceGroup} = ${key}
      AND ${job.holdsResource})`,
});

computedFields('Environment', {
  lastDeploymentId: ({ id }) => sql`(SELECT max(${deployment.id}) FROM ${table(deployment)}
    WHERE ${deployment.environmentId} = ${id} AND ${deployment.status} = 'success')`,
});
computedFields('Deployment', {
  previousSha: ({ id, environmentId }) => sql`(SELECT ${deployment.sha} FROM ${table(deployment)}
    WHERE ${deployment.environmentId} = ${environmentId} AND ${deployment.id} < ${id} AND ${deployment.status} = 'success'
    ORDER BY ${deployment.id} DESC LIMIT 1)`,
});

function pathOf(projectId: Prisma.Sql): Prisma.Sql {
  return sql`(SELECT ${namespace.fullPath} || '/' || ${project.path} FROM ${table(project)}
    JOIN ${table(namespace)} ON ${namespace.id} = ${project.namespaceId} WHERE ${project.id} = ${projectId})`;
}
