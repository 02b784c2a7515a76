import type { Follower } from '#src/domain/changes/record.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Publishes the site in the artifacts of a job. */
    'sites.publish': { jobId: number };
  }
}

/** Publishes the sites that jobs have made. */
export const builtSites: Follower = {
  async siteBuilt(tx, { jobs }, { job }) {
    await jobs?.enqueue(tx, 'sites.publish', { jobId: job.id });
  },
};
