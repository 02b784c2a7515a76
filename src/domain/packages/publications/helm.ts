import { readChart } from '#src/domain/packages/archives/chart.ts';
import type { Publication } from '#src/domain/packages/publish.ts';
import type { StoredContent } from '#src/domain/packages/receive.ts';
import { BadRequest } from '#src/platform/errors.ts';

const CHANNEL = /^[A-Za-z0-9._-]{1,255}$/;

/** A chart as it is published in a channel. Throws BadRequest, Unavailable. */
export async function chartPublication(
  projectId: number,
  channel: string,
  stored: StoredContent,
): Promise<Publication> {
  requireChannel(channel);
  const chart = await readChart(projectId, stored.stream());
  const { name, version } = chart;
  return {
    ...{ type: 'helm', name, version, fileName: chartFileName({ name, version }) },
    ...{ manifest: chart, details: { channel } },
  };
}

/** Throws BadRequest for what is no name of a channel. */
export function requireChannel(channel: string): void {
  if (!CHANNEL.test(channel)) throw new BadRequest('channel is invalid', 'channel', 'valueInvalid');
}

/** What the archive of a chart is called. */
export function chartFileName({ name, version }: { name: string; version: string }): string {
  return `${name}-${version}.tgz`;
}
