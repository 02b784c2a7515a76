import { preset as clientPreset } from '@graphql-codegen/client-preset';
import { scalars } from './scalars.ts';

type Preset = typeof clientPreset;

/**
 * graphql-codegen's client preset, with the types of Gantry's scalars, and without fragment masking unless `presetConfig` asks for
 * it. Everything else is as configured.
 */
export const preset: Preset = {
  ...clientPreset,
  buildGeneratesSection: (options) =>
    clientPreset.buildGeneratesSection({
      ...options,
      presetConfig: { fragmentMasking: false, ...options.presetConfig },
      config: {
        // Fails where the schema has a scalar without a type, instead of calling it `any`.
        strictScalars: true,
        useTypeImports: true,
        ...options.config,
        scalars: { ...scalars, ...options.config.scalars },
      },
    }),
};

export default preset;
