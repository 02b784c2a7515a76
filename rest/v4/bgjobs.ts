import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const METRICS = {
  queue_metrics: {
    operation: operations.QueueMetricsDocument,
    description: 'The queues of background jobs and their backlogs. For administrators.',
  },
  process_metrics: {
    operation: operations.ProcessMetricsDocument,
    description: 'The processes that run background jobs. For administrators.',
  },
  job_stats: {
    operation: operations.JobStatsDocument,
    description: 'The numbers of finished, failed and waiting background jobs. For administrators.',
  },
  compound_metrics: {
    operation: operations.CompoundMetricsDocument,
    description: 'The queues, processes and numbers of background jobs together. For administrators.',
  },
};

/** The state of the server's background jobs; clients of the era know the paths by another name. */
export const backgroundJobs: Route[] = Object.entries(METRICS).map(([name, metrics]) => ({
  ...metrics,
  method: 'GET',
  path: `/bgjobs/${name}`,
  alsoAt: [`/sidekiq/${name}`],
  result: 'jobMetrics',
  precheck: 'administrate',
  keyedBy: { queues: 'name' },
}));
