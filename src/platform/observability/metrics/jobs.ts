import { jobs, jobsRunning } from '#src/platform/observability/metrics/registry.ts';
import { traced } from '#src/platform/observability/tracing/tracer.ts';

/** Measures an attempt at a job, and makes it a span of the trace in which the job was wanted. */
export async function observeJob<T>(job: string, parent: string | undefined, work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  jobsRunning.inc({ job });
  let outcome = 'failed';
  try {
    const options = { kind: 'consumer', attributes: { 'messaging.destination.name': job }, parent } as const;
    const result = await traced(`job ${job}`, options, work);
    outcome = 'succeeded';
    return result;
  } finally {
    jobsRunning.dec({ job });
    jobs.observe({ job, outcome }, (performance.now() - begun) / 1000);
  }
}
