import { builder } from '#schema/builder.ts';
import {
  listFeatureToggles,
  type FeatureToggle as Toggle,
  type ToggleGate,
} from '#src/domain/administration/feature_toggles/toggles.ts';

const FeatureToggleState = builder.enumType('FeatureToggleState', {
  description: 'For how much a feature toggle is on.',
  values: {
    ON: { value: 'on', description: 'It is on for everything.' },
    OFF: { value: 'off', description: 'It is on for nothing.' },
    CONDITIONAL: { value: 'conditional', description: 'It is on for some, as its gates say.' },
  } as const,
});

const FeatureToggleGate = builder.objectRef<ToggleGate>('FeatureToggleGate').implement({
  description: 'A way in which a feature toggle is on.',
  fields: (t) => ({
    key: t.exposeString('key', {
      description: 'What it is on for: `boolean`, `percentage_of_time`, `percentage_of_actors`, `groups` or `actors`.',
    }),
    value: t.field({
      type: 'JSON',
      description: 'Whether it is on, a percentage, or names: records are named by kind and ID, such as `User:1`.',
      resolve: ({ value }) => value,
    }),
  }),
});

export const FeatureToggle = builder.objectRef<Toggle>('FeatureToggle').implement({
  description: 'A toggle by name, which administrators set and clients read. It switches nothing of the server itself.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What programs ask for the toggle by, such as `web_ide`.' }),
    state: t.expose('state', { type: FeatureToggleState, description: 'For how much it is on.' }),
    gates: t.field({
      type: [FeatureToggleGate],
      description: 'All ways in which it is on, of which `boolean` is always there.',
      resolve: ({ gates }) => gates,
    }),
  }),
});

builder.queryFields((t) => ({
  featureToggles: t.field({
    type: [FeatureToggle],
    nullable: true,
    description: 'All feature toggles that were set, by name; at most 1000. For administrators.',
    resolve: (_root, _args, context) => listFeatureToggles(context),
  }),
}));
