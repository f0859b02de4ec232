func codable(_ peer: String) throws {}
