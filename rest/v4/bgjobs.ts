import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const OPERATIONS = {
  queue_metrics: operations.QueueMetricsDocument,
  process_metrics: operations.ProcessMetricsDocument,
  job_stats: operations.JobStatsDocument,
  compound_metrics: operations.CompoundMetricsDocument,
};

/** How the background jobs of the server are doing; clients of the era know the paths by another name. */
export const backgroundJobs: Route[] = Object.entries(OPERATIONS).map(([name, operation]) => ({
  method: 'GET',
  path: `/bgjobs/${name}`,
  alsoAt: [`/sidekiq/${name}`],
  operation,
  result: 'jobMetrics',
  precheck: 'administrate',
  keyedBy: { queues: 'name' },
}));
