import FormworkURLEncoded

func readmeQueries() throws -> String {
    let query = try URLEncodedDialect.php.encode(["page": 2, "tags": ["a", "b"]])
    print(query)  // page=2&tags%5B0%5D=a&tags%5B1%5D=b
    print(try URLEncodedDialect.php.decode(query)["tags"] == ["a", "b"])
    return query
}
