exports.CacheManager = class CacheManager {};
