import { constant, names, same, type } from '#compat/engine/entries.ts';
import type { Row } from '#compat/engine/table.ts';

type('Metadata', 'Version', {
  ...names('enterprise', 'revision', 'version'),
  kas: same('Kas'),
  featureFlags: {
    // What is asked for is turned off here, as all of it belongs to other products.
    select: () => [],
    shape: (site) => {
      const make = site.object({ type: 'MetadataFeatureFlag', core: 'Version', fields: flag });
      return (_row, run) => (run.given(site).names as string[]).map((one) => make({ flag: one }, run));
    },
  },
});

const flag = {
  enabled: constant(false),
  name: { ...constant(null), shape: () => (row: Row) => row.flag },
};

type('MetadataFeatureFlag', 'Version', flag);

type('Kas', 'Version', { enabled: constant(false), version: constant(null) });
