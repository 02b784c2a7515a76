// Loaded before a server by `--import`, it has the server's clock go wrong by GANTRY_TEST_CLOCK_SHIFT seconds.
const shift = Number(process.env.GANTRY_TEST_CLOCK_SHIFT ?? 0) * 1000;
const Real = Date;

globalThis.Date = class Shifted extends Real {
  constructor(...given) {
    if (given.length === 0) super(Real.now() + shift);
    else super(...given);
  }

  static now() {
    return Real.now() + shift;
  }
};
